"""Search both trees of a change for uses of what it removed."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from affidavit.analysers.engine.decision import without_secrets
from affidavit.analysers.engine.silence import Silence
from affidavit.analysers.engine.wording import Counted, Proof, note_set_aside, write_finding
from affidavit.analysers.references.documents import find_stale_documents
from affidavit.analysers.references.go import find_removed_go_names
from affidavit.analysers.references.ground import Break, Finder, ReferenceLookup
from affidavit.analysers.references.imports import find_removed_attributes, find_removed_imports
from affidavit.analysers.references.java import find_removed_java_methods, find_unimplemented_methods
from affidavit.analysers.references.modules import find_removed_modules
from affidavit.analysers.references.rules import REFERENCE_RULES
from affidavit.analysers.references.specialist import NAME
from affidavit.analysers.registry import WhyOff
from affidavit.contract.schema import CURRENT_SCHEMA_VERSION
from affidavit.contract.versions import NO_PROMPT_VERSION
from affidavit.git.blob_cache import BlobCache
from affidavit.ports import Case, Tree
from affidavit.records.change import Change, FileStatus
from affidavit.records.context import SymbolChange
from affidavit.records.evidence import AnalyserDiagnostic

RULES = {rule.id: rule for rule in REFERENCE_RULES}
FINDERS: tuple[Finder, ...] = (
    find_removed_imports,
    find_removed_modules,
    find_removed_attributes,
    find_removed_go_names,
    find_removed_java_methods,
    find_unimplemented_methods,
    find_stale_documents,
)
MAX_BREAKS = 200
MAX_OTHER_LINES = 10
HANDS_ON = re.compile(r"\b(import|export|exports|module|from|require|use|include|using|autoload|__all__)\b")
"""A removed line with such a word may have re-exported a name."""
PROOF = Proof("the search for references", "all files of the repository that import or name it")


@dataclass(frozen=True)
class ReferenceSearch:
    """Broken references, and what could not be searched."""

    breaks: tuple[Break, ...]
    unread: tuple[str, ...] = ()
    dropped: tuple[tuple[AnalyserDiagnostic, str], ...] = ()
    """Broken references that are not reported, each with the reason."""


def search(case: Case, why_off: WhyOff, cache: BlobCache | None = None) -> ReferenceSearch:
    """Return every broken reference that is proven, worst first."""
    ground = ReferenceLookup(case.change, case.repository, cache)
    if not may_break_a_reference(ground):
        return ReferenceSearch(())
    found = [one for find in FINDERS for one in find(ground)]
    found.sort(key=lambda one: (RULES[one.rule].severity.rank, one.path, one.line))
    silence = Silence(case.change, case.repository, REFERENCE_RULES)
    decided = [(one, _excuse(one, silence, case.repository.head, why_off)) for one in found]
    # A comment covers only its own place, not others in the file.
    kept = _distinct(replace(one, suppressed_by=_comment(silence, one)) for one, why in decided if not why)
    dropped = _dropped(decided, case.repository.head)
    unread = list(dict.fromkeys(ground.unread))
    if len(kept) > MAX_BREAKS:
        unread.append(f"{len(kept) - MAX_BREAKS} more broken references are not listed")
    return ReferenceSearch(tuple(kept[:MAX_BREAKS]), tuple(unread), dropped)


def _excuse(one: Break, silence: Silence, head: Tree, why_off: WhyOff) -> str | None:
    """Return why a broken reference is not reported; None if it is."""
    off = why_off(one.rule, one.path)
    if off is not None:
        return off
    if not head.lines(one.path):
        return "the file has no text to quote"
    return silence.before(one.rule, one.path, range(one.line, one.line + 1))


def _result_text(found: ReferenceSearch, case: Case) -> str:
    head = case.repository.head
    return json.dumps(
        {
            "schema_version": CURRENT_SCHEMA_VERSION,
            "prompt_version": NO_PROMPT_VERSION,
            "findings": [
                _written(number, one, head.lines(one.path) or [], case.change)
                for number, one in enumerate(found.breaks)
            ],
            "meta": {"analyser": NAME},
        }
    )


def explain(found: ReferenceSearch, case: Case) -> dict[str, Any]:
    """Return the parts of a reply: the findings as text, and notes on the results that are not findings."""
    return {
        "text": _result_text(found, case),
        "diagnostics": note_set_aside(NAME, RULES, found.dropped),
    }


def _comment(silence: Silence, one: Break) -> str:
    """Return the added comment that suppresses a broken reference."""
    brought = silence.added_by_change(one.rule, one.path, range(one.line, one.line + 1))
    return f"line {brought.line}: {brought.text}" if brought else ""


def _distinct(breaks: Iterable[Break]) -> list[Break]:
    """Return each problem of each file once, at its first line; the message names the other lines.

    Suppressed and other places are separate problems.
    """
    found: dict[tuple[str, str, str, str], list[Break]] = {}
    for one in breaks:
        found.setdefault((one.rule, one.path, one.message, one.suppressed_by), []).append(one)
    return [_first(group) for group in found.values()]


def _first(group: list[Break]) -> Break:
    lines = sorted({one.line for one in group})
    first = next(one for one in group if one.line == lines[0])
    if len(lines) == 1:
        return first
    others = ", ".join(map(str, lines[1 : 1 + MAX_OTHER_LINES]))
    more = " and more" if len(lines) > 1 + MAX_OTHER_LINES else ""
    return replace(first, message=f"{first.message} (also at lines {others}{more})")


def _dropped(
    decided: Sequence[tuple[Break, str | None]], head: Tree
) -> tuple[tuple[AnalyserDiagnostic, str], ...]:
    """Return the suppressed references without secrets, each with its reason."""
    by_reason: dict[str, list[Break]] = {}
    for one, why in decided:
        if why:
            by_reason.setdefault(why, []).append(one)
    return tuple(
        (without_secrets(_diagnostic(one), head), head.without_secrets(one.path, why))
        for why, breaks in by_reason.items()
        for one in _distinct(breaks)
    )


def may_break_a_reference(ground: ReferenceLookup) -> bool:
    """Check whether the change can break a reference; if not, the whole repository need not be read."""
    if any(file.status in (FileStatus.DELETED, FileStatus.RENAMED) for file in ground.code_files):
        return True
    if any(_is_searched_for(one) for one in ground.symbols):
        return True
    removed = (
        line for file in ground.code_files for hunk in file.hunks for line in hunk.lines if line[:1] == "-"
    )
    return any(HANDS_ON.search(line) for line in removed)


def _is_searched_for(one: SymbolChange) -> bool:
    """Check for a removed symbol, or a new one that others must implement."""
    if one.fate in ("added", "signature_changed"):
        return one.head is not None and one.head.kind not in ("function", "constant", "class")
    return one.fate != "touched"


def _diagnostic(one: Break) -> AnalyserDiagnostic:
    return AnalyserDiagnostic(rule=one.rule, message=one.message, path=one.path, line=one.line)


def _written(number: int, one: Break, lines: Sequence[str], change: Change) -> dict[str, Any]:
    # A place inside of a changed file is about that file; elsewhere it is an impact.
    is_impact = change.file_at(one.path) is None
    counted = Counted(_diagnostic(one), tuple(lines), one.cause, is_impact=is_impact)
    return write_finding(number, counted, RULES[one.rule], PROOF)
