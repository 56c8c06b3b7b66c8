"""Choose what models review after an earlier review, and what a report passes on to the next one."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from affidavit.iterations.feedback_document import times_of
from affidavit.iterations.review_summary import key_of, settings_digest, summary_of
from affidavit.iterations.trace import digests_of, examined_before, known_file, new_parts
from affidavit.languages.registry import LANGUAGES
from affidavit.ports import Case, Tree
from affidavit.records.candidate import Candidate
from affidavit.records.change import Change, FileChange
from affidavit.records.diagnostics import Reason
from affidavit.records.iteration import (
    HISTORY_WINDOW,
    Earlier,
    EarlierFile,
    EarlierFinding,
    EarlierHunk,
    Scope,
)
from affidavit.records.report import FileCoverage, HunkCoverage, Report


def earlier_of(
    report: Report, digest: str, *, series: str = "", looks_at_all: bool = False, tree: str = ""
) -> Earlier:
    """Return what a following review needs of this report; `digest` is that of the report's bytes.

    `tree` is the tree of the new head. If it is the report's own, nothing was pushed: the new review replaces
    the earlier one, and nothing is counted twice.
    """
    before = report.inputs.earlier
    number = report.follow_up.iteration if report.follow_up else 1
    is_same_head = tree == report.change.head.tree
    history = before.history if before else ()
    history = history if is_same_head else (*history, summary_of(report, digest))
    found = tuple(_finding(one, report) for one in report.candidates if one.is_open)
    return Earlier(
        report_id=report.id,
        digest=digest,
        series=series,
        number=number - is_same_head,
        base=report.change.base,
        head=report.change.head,
        models=report.models,
        prompt_version=report.prompt_version,
        settings=settings_digest(report.settings),
        is_complete=not report.incomplete,
        files=_files(report),
        findings=tuple(one.model_copy(update={"times": one.times - 1}) for one in found)
        if is_same_head
        else found,
        dismissed=tuple(
            _finding(one, report)
            for one in report.candidates
            if (one.withheld is not None and one.withheld.code is Reason.DISMISSED)
        ),
        history=history[-HISTORY_WINDOW:],
        decided=report.follow_up.decisions if report.follow_up and is_same_head else (),
        looks_at_all=looks_at_all,
    )


def for_repetition(earlier: Earlier, report: Report) -> Earlier:
    """Prepare the repetition of a review of the same head, so that a recording of that review fits."""
    before = report.inputs.earlier
    if before is None:
        return earlier.model_copy(update={"looks_at_all": True})
    names = ("base", "models", "prompt_version", "settings", "is_complete", "files")
    kept = {name: getattr(before, name) for name in names}
    return earlier.model_copy(update={**kept, "looks_at_all": earlier.looks_at_all or before.looks_at_all})


def _finding(candidate: Candidate, report: Report) -> EarlierFinding:
    under = [one for one in report.candidates if one.finding and one.duplicate_of == candidate.id]
    return EarlierFinding(
        candidate=_kept(candidate),
        key=key_of(candidate, report),
        times=times_of(candidate, report),
        places=tuple(map(_kept, under)),
    )


def _kept(candidate: Candidate) -> Candidate:
    """Return the candidate without its steps, which the earlier report has."""
    return candidate.model_copy(update={"steps": (), "raw": None, "withheld": None, "folded": False})


def _files(report: Report) -> tuple[EarlierFile, ...]:
    models = {one.specialist for one in report.replies if one.kind == "model"}
    coverage = {one.path: one for one in report.coverage}
    return tuple(
        EarlierFile(
            path=file.path,
            base_path=file.base_path,
            old_blob=file.old_blob,
            new_blob=file.new_blob,
            hunks=tuple(
                EarlierHunk(
                    digests=digests_of(hunk),
                    examined_by=_seen_by(coverage.get(file.path), number, models),
                )
                for number, hunk in enumerate(file.hunks)
            ),
        )
        for file in report.change.files
    )


def _seen_by(file: FileCoverage | None, number: int, models: set[str]) -> tuple[str, ...]:
    """Return the models that saw the whole hunk."""
    if file is None or number >= len(file.hunks):
        return ()
    hunk = file.hunks[number]
    if hunk.parts and not hunk.examined_before:
        # If every part was seen, all models that saw a part count.
        seen = [_models_of(part, models) for part in hunk.parts]
        return tuple(dict.fromkeys(name for names in seen for name in names)) if all(seen) else ()
    return _models_of(hunk, models)


def _models_of(hunk: HunkCoverage, models: set[str]) -> tuple[str, ...]:
    now = [name.partition("@")[0] for name in hunk.examined_by if name in models]
    return tuple(dict.fromkeys([*now, *hunk.examined_before]))


MAX_TEXT_LINES = 20_000
_WORD = re.compile(r"[^\W\d]\w*")
UNTELLING = frozenset({"__init__", "index", "main", "mod", "lib", "init"})
"""File names without meaning; the folder's name is used."""


Parts = tuple[tuple[int, int, int], ...]
"""Numbers of hunks, and where their lines are cut."""


@dataclass(frozen=True)
class Touched:
    """Files by their path at head; deleted ones by their path at base."""

    paths: frozenset[str] = frozenset()
    """Files that changed since the earlier review, by old and new name."""
    reached: frozenset[str] = frozenset()
    """Other changed files that name one of these."""
    parts: dict[str, Parts] = field(default_factory=dict)
    """For touched files: hunks and lines that no model has seen."""


def touched_since(earlier: Earlier, case: Case) -> Touched:
    """Compare the change with the one of the earlier review; neither commit of that one is needed."""
    files = [file for file in case.change.files if file.skipped is None]
    paths, parts = set[str](), dict[str, Parts]()
    for file in files:
        new = _unseen(file, earlier)
        if new or _is_touched(file, earlier):
            paths.add(file.path)
            parts[file.path] = new
    still = {known.path for file in case.change.files if (known := known_file(file, earlier.files))}
    paths |= {one.path for one in earlier.files if one.path not in still}
    others = [file.path for file in files if file.path not in parts]
    changed = [path for path, new in parts.items() if new]
    reached = frozenset(path for path in others if _names_any(case.repository.head, path, changed))
    return Touched(frozenset(paths), reached, parts)


def rests_on(path: str, touched: Touched, tree: Tree) -> bool:
    """Check whether a file is touched, names a touched file, or is named by one."""
    if path in touched.paths:
        return True
    return _names_any(tree, path, touched.paths) or any(
        _names_any(tree, one, {path}) for one in touched.paths
    )


def _is_touched(file: FileChange, earlier: Earlier) -> bool:
    known = known_file(file, earlier.files)
    if known is None:
        return True
    return (known.new_blob, known.path) != (file.new_blob, file.path) or known.old_blob != file.old_blob


def _unseen(file: FileChange, earlier: Earlier) -> Parts:
    known = known_file(file, earlier.files)
    seen = [one for one in known.hunks if one.examined_by] if known else []
    return tuple(new_parts(file, seen))


def _names_any(tree: Tree, path: str, others: Iterable[str]) -> bool:
    """Check whether the text of a file has the name of one of the others as a word."""
    names = {name for other in others if other != path and (name := _distinctive_name(other))}
    if not names or not LANGUAGES.of(path).is_code:
        return False
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(names)))})(?!\w)")
    return any(pattern.search(line) for line in (tree.redacted_lines(path) or [])[:MAX_TEXT_LINES])


def _distinctive_name(path: str) -> str:
    place = PurePosixPath(path)
    stem = place.name.split(".", 1)[0]
    return place.parent.name if stem.lower() in UNTELLING else stem


NEW_ONLY = "what the new commits touch, and what uses it"


def choose_scope(
    case: Case, settings: Mapping[str, Any], models: Mapping[str, str], prompt_version: str
) -> Scope | None:
    """Choose the new parts if the same models saw the rest under the same settings, else everything."""
    earlier = case.earlier
    if earlier is None or not models:
        return None
    reason = _why_everything(earlier, case.change, settings, models, prompt_version)
    if reason:
        return Scope(is_whole=True, reason=reason)
    touched = touched_since(earlier, case)
    shown = [file.path for file in case.change.files if file.path in touched.parts]
    return Scope(
        is_whole=False,
        reason=NEW_ONLY,
        touched=tuple(path for path in shown if touched.parts[path] or path in touched.paths),
        reached=tuple(sorted(touched.reached)),
    )


def parts_to_show(case: Case, shown: Change) -> dict[str, Parts] | None:
    """Map each path to the parts that models are shown (empty: the whole file); None: show everything.

    `shown` is the change as models see it: its files may have other names.
    """
    if case.scope is None or case.scope.is_whole or case.earlier is None:
        return None
    touched = touched_since(case.earlier, case)
    pairs = zip(case.change.files, shown.files, strict=True)
    names = {file.path: other.path for file, other in pairs}
    parts = {names[path]: parts for path, parts in touched.parts.items() if parts and path in names}
    return parts | {names[path]: () for path in touched.reached if path in names}


def seen_before(case: Case) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Map each path to the models that saw its hunks in an earlier review."""
    if case.scope is None or case.scope.is_whole or case.earlier is None:
        return {}
    seen: dict[str, tuple[tuple[str, ...], ...]] = {}
    for file in case.change.files:
        known = known_file(file, case.earlier.files)
        if known is not None and file.path not in case.scope.reached:
            seen[file.path] = tuple(examined_before(hunk, known.hunks) for hunk in file.hunks)
    return seen


def _why_everything(
    earlier: Earlier,
    change: Change,
    settings: Mapping[str, Any],
    models: Mapping[str, str],
    prompt_version: str,
) -> str:
    """Say why everything must be reviewed again; empty if it need not."""
    if earlier.looks_at_all:
        is_same_head = earlier.head.tree == change.head.tree
        return "this head is reviewed again" if is_same_head else "the user asked for everything"
    reasons = (
        (not earlier.is_trusted, "the report of the earlier review is an unsigned file"),
        (not earlier.models, "no model took part in the earlier review"),
        (earlier.models != dict(models), "other models took part in the earlier review"),
        (
            earlier.prompt_version != prompt_version,
            f"the earlier review was made with prompts {earlier.prompt_version}",
        ),
        (
            earlier.settings != settings_digest(settings),
            "the earlier review was made with other settings, or asked models at another address",
        ),
        (
            earlier.base.name != change.base.name,
            f"the earlier review started from {earlier.base.name or 'elsewhere'}",
        ),
    )
    return next((reason for is_so, reason in reasons if is_so), "")
