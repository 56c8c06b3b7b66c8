"""The specialist that finds uses of what a change removed."""

import asyncio
import json
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from affidavit.analysers.decision import without_secrets
from affidavit.analysers.registry import RULES as ANALYSER_RULES
from affidavit.analysers.registry import silence_about
from affidavit.analysers.rule import WhyOff, nothing_is_off
from affidavit.analysers.silence import Silence
from affidavit.analysers.wording import Counted, Proof, note_set_aside, write_finding
from affidavit.contract.schema import ASKED_SCHEMA_VERSION
from affidavit.contract.versions import NO_PROMPT_VERSION
from affidavit.errors import GitError
from affidavit.events import EventName, event
from affidavit.git.blob_cache import BlobCache
from affidavit.languages.registry import parsed_family
from affidavit.ports import Case, Tree
from affidavit.records.candidate import SpecialistKind
from affidavit.records.change import Change, FileChange, FileStatus
from affidavit.records.context import SymbolChange
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.report import Gap, Reply
from affidavit.specialists.broken_references.documents import find_stale_documents
from affidavit.specialists.broken_references.go import find_removed_go_names
from affidavit.specialists.broken_references.ground import Break, Finder, ReferenceLookup
from affidavit.specialists.broken_references.imports import find_removed_attributes, find_removed_imports
from affidavit.specialists.broken_references.java import find_removed_java_methods, find_unimplemented_methods
from affidavit.specialists.broken_references.modules import find_removed_modules
from affidavit.specialists.broken_references.rules import REFERENCE_RULES

NAME = "references"
FAMILIES = frozenset(("go", "java", "javascript", "php", "python", "ruby"))
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
"""A removed line with such a word may have handed a name on to others."""
PROOF = Proof("the search for references", "all files of the repository that import or name it")


@dataclass(frozen=True)
class ReferenceSearch:
    """Broken references, and what could not be searched."""

    breaks: tuple[Break, ...]
    unread: tuple[str, ...] = ()
    dropped: tuple[tuple[AnalyserDiagnostic, str], ...] = ()
    """Broken references that are not reported, each with the reason."""


class BrokenReferences:
    """Compares the names that base and head provide with the names that head still uses."""

    name = NAME
    kind: SpecialistKind = "mechanical"

    def __init__(self, *, cache_dir: Path | None = None, why_off: WhyOff = nothing_is_off) -> None:
        self._cache = BlobCache(cache_dir)
        self._why_off = why_off

    def examines(self, file: FileChange) -> bool:
        """Check whether the file is code of a language whose references are searched."""
        is_unknown = file.is_partial or file.is_binary or file.is_submodule or file.is_link
        return not (is_unknown or file.skipped) and parsed_family(file.path) in FAMILIES

    async def examine(self, case: Case) -> Reply:
        """Search both trees and report what is proven."""
        started = time.monotonic()
        is_whole = not any(file.is_partial for file in case.change.files)
        if not is_whole or not any(self.examines(file) for file in case.change.files):
            # Of a bare diff only fragments are known, and nothing is missing in a fragment.
            return self._reply(started, None)
        case.emit(event(EventName.TOOL_CALLED, agent="reviewer", specialist=NAME, tool=NAME, args={}))
        try:
            found = await asyncio.to_thread(self.look, case, self._cache)
        except GitError as error:
            part = Gap(
                name=NAME, reason=f"the references could not be searched: {error}", advice="Try again."
            )
            return self._reply(started, None, incomplete=(part,))
        parts = tuple(
            Gap(name=NAME, reason=said, advice="Look for its uses by hand.") for said in found.unread
        )
        return self._reply(
            started,
            self._result_text(found, case),
            incomplete=parts,
            suppressed=tuple(one.suppressed_by for one in found.breaks),
            diagnostics=note_set_aside(NAME, RULES, found.dropped),
        )

    def look(self, case: Case, cache: BlobCache | None = None) -> ReferenceSearch:
        """Every broken reference that is proven, worst first."""
        ground = ReferenceLookup(case.change, case.repository, cache)
        if not may_break_a_reference(ground):
            return ReferenceSearch(())
        found = [one for find in FINDERS for one in find(ground)]
        found.sort(key=lambda one: (RULES[one.rule].severity.rank, one.path, one.line))
        silence = silence_about(case.change, case.repository, {**ANALYSER_RULES, **RULES})
        decided = [(one, self._excuse(one, silence, case.repository.head)) for one in found]
        # A comment speaks of its own place: others in the file are no less broken for it.
        kept = _distinct(
            replace(one, suppressed_by=_comment(silence, one)) for one, why in decided if not why
        )
        dropped = _dropped(decided, case.repository.head)
        unread = list(dict.fromkeys(ground.unread))
        if len(kept) > MAX_BREAKS:
            unread.append(f"{len(kept) - MAX_BREAKS} more broken references are not listed")
        return ReferenceSearch(tuple(kept[:MAX_BREAKS]), tuple(unread), dropped)

    def _excuse(self, one: Break, silence: Silence, head: Tree) -> str | None:
        """Return why a broken reference is not reported; None if it is."""
        off = self._why_off(one.rule, one.path)
        if off is not None:
            return off
        if not head.lines(one.path):
            return "the file has no text to quote"
        return silence.before(one.rule, one.path, range(one.line, one.line + 1))

    def _result_text(self, found: ReferenceSearch, case: Case) -> str:
        head = case.repository.head
        return json.dumps(
            {
                "schema_version": ASKED_SCHEMA_VERSION,
                "prompt_version": NO_PROMPT_VERSION,
                "findings": [
                    _written(number, one, head.lines(one.path) or [], case.change)
                    for number, one in enumerate(found.breaks)
                ],
                "meta": {"analyser": NAME},
            }
        )

    def _reply(self, started: float, text: str | None, **parts: Any) -> Reply:
        duration_ms = round((time.monotonic() - started) * 1000)
        return Reply(specialist=NAME, kind=self.kind, text=text, duration_ms=duration_ms, **parts)


def _comment(silence: Silence, one: Break) -> str:
    """The change's own comment that silences a broken reference."""
    brought = silence.added_by_change(one.rule, one.path, range(one.line, one.line + 1))
    return f"line {brought.line}: {brought.text}" if brought else ""


def _distinct(breaks: Iterable[Break]) -> list[Break]:
    """Each problem of each file once, at its first line; the message names the other lines.

    What a comment of the change silences is another problem than what it does not.
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
    """Whether the change can break a reference; if not, the whole repository need not be read."""
    if any(file.status in (FileStatus.DELETED, FileStatus.RENAMED) for file in ground.code_files):
        return True
    if any(_is_searched_for(one) for one in ground.symbols):
        return True
    removed = (
        line for file in ground.code_files for hunk in file.hunks for line in hunk.lines if line[:1] == "-"
    )
    return any(HANDS_ON.search(line) for line in removed)


def _is_searched_for(one: SymbolChange) -> bool:
    """Check for what is gone, and for what is new where others must have the same."""
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
