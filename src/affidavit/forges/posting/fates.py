"""Decide what became of the findings that we commented on, and close or reopen their threads."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from affidavit.config.settings import Settings
from affidavit.forges.posting.actions import Action, Reply, Resolve, Unresolve
from affidavit.forges.posting.bodies import back_body, fixed_body
from affidavit.forges.standing import OwnNote, Standing
from affidavit.proof.fingerprints import finding_name, rule_name
from affidavit.proof.sameness import names_of
from affidavit.records.candidate import Candidate
from affidavit.records.change import Change
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import Category
from affidavit.records.record import Side
from affidavit.records.report import Report
from affidavit.specialists.rulebook import rules_off

MAX_ALIKE = 5
"""Lines of the same text in one file have names that count them."""
_COMMENT = re.compile(r"#|//|/\*|--|<!--|;|%")
_REDACTED = "[redacted:"


def is_same_line(note: OwnNote, candidate: Candidate, change: Change) -> bool:
    """Check whether a finding is on the line of our comment, also if the line moved or is silenced."""
    finding = candidate.finding
    if finding is None:
        return False
    text = _line(change, finding.file, finding.side, finding.line)
    if _REDACTED in text:
        # Nobody can compare what was taken out; of a rule that looks for it, it is the line that counts.
        return finding.rule_id == note.mark.rule != ""
    is_silenced = candidate.withheld is not None and candidate.withheld.code is Reason.SUPPRESSED
    texts = [text, *(_without_comments(text) if is_silenced else ())]
    return any(_has_name(note, rule_name(finding), finding.side, one, change) for one in texts)


def files_with_line(note: OwnNote, change: Change) -> list[str]:
    """Return the files of the change that add the line of our comment."""
    rules = [note.mark.rule] if note.mark.rule else [str(one) for one in Category]
    found = []
    for file in change.files:
        added = {text for hunk in file.hunks for mark, _, _, text in hunk.numbered() if mark == "+"}
        if any(_has_name(note, rule, "head", text, change) for text in added for rule in rules):
            found.append(file.path)
    return found


def _has_name(note: OwnNote, rule: str, side: Side, text: str, change: Change) -> bool:
    names = note.mark.names
    return any(
        finding_name(rule, path, side, text, count) in names
        for path in _note_paths(note, change)
        for count in range(MAX_ALIKE)
    )


def _note_paths(note: OwnNote, change: Change) -> Iterable[str]:
    """The note's file, and what it was called at base, which is what names are made of."""
    before = [file.old_path for file in change.files if file.path == note.path and file.old_path]
    return [note.path, *before]


def _line(change: Change, path: str, side: Side, line: int) -> str:
    file = change.file_at(path, side)
    for hunk in file.hunks if file else ():
        for _, old, new, text in hunk.numbered():
            if line == (old if side == "base" else new):
                return text
    return ""


def _without_comments(text: str) -> Iterator[str]:
    """The line up to each place where a comment may begin."""
    return (text[: found.start()] for found in _COMMENT.finditer(text) if text[: found.start()].strip())


NoteFate = Literal["open", "moved", "fixed", "silenced", "cannot_tell", "dismissed"]


@dataclass(frozen=True)
class Fate:
    """What became of one finding, why, and as which candidate it lives on."""

    note: OwnNote
    kind: NoteFate
    reason: str = ""
    candidate: Candidate | None = None


def decide_fates(report: Report, notes: Iterable[OwnNote]) -> list[Fate]:
    """Decide the fate of each of our comments; `fixed` only if that is shown."""
    notes = list(notes)
    known = frozenset(name for note in notes for name in note.mark.names)
    fates: list[Fate] = []
    taken: set[str] = set()
    for note in notes:
        fate = _fate(report, note, known, taken)
        if fate.candidate is not None:
            taken.add(fate.candidate.id)
        fates.append(fate)
    return fates


def _fate(report: Report, note: OwnNote, known: frozenset[str], taken: set[str]) -> Fate:
    decided = _followed_up(report, note)
    if decided and decided.kind in ("fixed", "cannot_tell", "dismissed"):
        return decided
    same = _same(report, note)
    if same:
        return same
    if decided:
        return decided
    fresh = [
        one for one in report.candidates if one.finding and not names_of(one) & known and one.id not in taken
    ]
    return _on_same_line(report, note, fresh) or _by_same_rule(report, note, fresh) or _gone(report, note)


def _same(report: Report, note: OwnNote) -> Fate | None:
    """The finding under one of its names."""
    for candidate in report.candidates:
        if candidate.finding and names_of(candidate) & note.mark.names:
            return _as_candidate(note, candidate, "open", "")
    return None


def _as_candidate(note: OwnNote, candidate: Candidate, kind: NoteFate, reason: str) -> Fate:
    """The finding as what it is now: withheld, if it is, with why."""
    if candidate.withheld is None:
        return Fate(note, kind, reason, candidate)
    code, detail = candidate.withheld.code, candidate.withheld.detail
    if code is Reason.SUPPRESSED:
        return Fate(note, "silenced", f"a comment that the change adds silences it ({detail})", candidate)
    ends: dict[str, NoteFate] = {"dismissed": "dismissed", "fixed": "fixed"}
    return Fate(note, ends.get(str(code), "open"), detail, candidate)


def _followed_up(report: Report, note: OwnNote) -> Fate | None:
    """What the review itself says, where it followed the one before."""
    decisions = report.follow_up.decisions if report.follow_up else ()
    decision = next((one for one in decisions if one.fingerprint in note.mark.names), None)
    if decision is None:
        return None
    now = next((one for one in report.candidates if one.id == decision.now), None)
    if decision.fate == "fixed":
        return Fate(note, "fixed", decision.reason)
    if decision.fate == "cannot_tell":
        return Fate(note, "cannot_tell", decision.reason, now)
    if decision.fate == "dismissed":
        return Fate(note, "dismissed", decision.reason, now)
    return Fate(note, "moved" if now else "open", decision.reason, now)


def _on_same_line(report: Report, note: OwnNote, fresh: Sequence[Candidate]) -> Fate | None:
    """The finding on the very line that it was on, in another file or silenced by a comment behind it."""
    same = [one for one in fresh if is_same_line(note, one, report.change)]
    if not same:
        return None
    # What is shown speaks for what is not.
    found = min(same, key=lambda one: not one.is_shown)
    return _as_candidate(note, found, "moved", "the same line at another place")


def _by_same_rule(report: Report, note: OwnNote, fresh: Sequence[Candidate]) -> Fate | None:
    """A new finding of the same rule in the same file is the old one, with another text around it."""
    if not note.mark.rule or not note.path:
        return None
    alike = [
        one
        for one in fresh
        if one.finding
        and one.finding.rule_id == note.mark.rule
        and note.path in _paths(report.change, one)
        and (one.is_shown or _is_silenced(one))
    ]
    line = note.line or 0
    found = min(
        alike,
        key=lambda one: (not one.is_shown, abs((one.finding.line if one.finding else 0) - line)),
        default=None,
    )
    if found is None or found.is_shown:
        return Fate(note, "moved", "the same rule at another line", found) if found else None
    # It may be another one that was silenced, so nothing is said of this one.
    said = f"a comment that the change adds silences {note.mark.rule} in its file"
    return Fate(note, "cannot_tell", f"{said} ({found.withheld.detail if found.withheld else ''})")


def _is_silenced(candidate: Candidate) -> bool:
    return candidate.withheld is not None and candidate.withheld.code is Reason.SUPPRESSED


def _paths(change: Change, candidate: Candidate) -> set[str | None]:
    """A file under each of its names."""
    finding = candidate.finding
    if finding is None:
        return set()
    file = change.file_at(finding.file, finding.side)
    return {finding.file, *((file.path, file.old_path) if file else ())}


def _gone(report: Report, note: OwnNote) -> Fate:
    """A finding that the report does not have: only what would have been found again is fixed."""
    files = [one for one in report.change.files if note.path in (one.path, one.old_path)]
    if note.path and not files:
        return _with_file_gone(report, note)
    if note.mark.by != "machine":
        return Fate(note, "cannot_tell", "it was not raised again, which does not show that it is fixed")
    analyser = note.mark.rule.partition("/")[0]
    if any(_could_not_look(report, file.path, analyser) for file in files) or not files:
        return Fate(note, "cannot_tell", f"{analyser} could not look at its file this time")
    is_rule_off = rules_off(Settings.model_validate(report.settings))
    if any(is_rule_off(note.mark.rule, file.path) for file in files):
        return Fate(note, "cannot_tell", f"the rule {note.mark.rule} is off in this review")
    return Fate(note, "fixed", f"{note.mark.rule} no longer reports it at {_head(report)}")


def _with_file_gone(report: Report, note: OwnNote) -> Fate:
    """A file that is gone takes its findings with it, unless their code went where nobody looked."""
    analyser = note.mark.rule.partition("/")[0] if note.mark.by == "machine" else ""
    for path in files_with_line(note, report.change):
        if not analyser or not _looked_at(report, path, analyser):
            return Fate(note, "cannot_tell", f"its line stands in {path} now, where nobody reported it")
    return Fate(note, "fixed", f"{note.path} is no longer part of the change")


def _looked_at(report: Report, path: str, analyser: str) -> bool:
    hunks = [hunk for one in report.coverage if one.path == path for hunk in one.hunks]
    is_named = any(analyser in hunk.examined_by for hunk in hunks)
    return is_named and not _could_not_look(report, path, analyser)


def _could_not_look(report: Report, path: str, analyser: str) -> bool:
    covered = next((one for one in report.coverage if one.path == path), None)
    if covered is None or covered.state != "examined":
        return True
    if all(reply.specialist != analyser for reply in report.replies):
        return True
    if any(gap.name == analyser for gap in (*report.incomplete, *report.not_run)):
        return True
    runs = [run for run in report.analyser_runs if run.analyser == analyser and run.side == "head"]
    return bool(runs) and not any(run.state in ("completed", "nothing_to_do") for run in runs)


def _head(report: Report) -> str:
    return (report.change.head.commit or report.change.head.tree)[:8]


def without_doubles(standing: Standing) -> tuple[list[OwnNote], list[OwnNote]]:
    """Split our comments on findings into the first of each finding and later duplicates."""
    kept: list[OwnNote] = []
    doubles: list[OwnNote] = []
    for note in standing.findings:
        is_double = any(note.mark.names & other.mark.names for other in kept)
        (doubles if is_double else kept).append(note)
    return kept, doubles


def close_fixed(fates: Sequence[Fate], report: Report) -> list[Action]:
    """Resolve our threads of fixed findings, or reply if resolving is not allowed."""
    actions: list[Action] = []
    for fate in fates:
        note, last = fate.note, _last_word(fate.note)
        if fate.kind != "fixed" or last == "fixed" or (note.is_resolved and not last):
            continue
        body = fixed_body(note.mark.fingerprint, fate.reason, report, is_resolved=note.is_resolved)
        if last == "back":
            # Whoever reads the thread read that it is back; else the next return would seem to be said.
            actions.append(Reply(note=note.id, thread=note.thread, body=body))
            body = ""
        if not note.is_resolved:
            actions.append(Resolve(note=note.id, thread=note.thread, instead=body))
    return actions


def open_again(fates: Sequence[Fate], report: Report, account: str) -> list[Action]:
    """Reopen threads that we resolved and whose finding is back; reply where people resolved them."""
    actions: list[Action] = []
    for fate in fates:
        note, last = fate.note, _last_word(fate.note)
        if not _is_open(fate) or last == "back":
            continue
        body = back_body(note.mark.fingerprint, report, is_resolved=note.is_resolved)
        if _is_resolved_by(note, account):
            actions.append(Unresolve(note=note.id, thread=note.thread, instead=body))
        elif last == "fixed" or (note.is_resolved and _is_blocking(fate, report)):
            actions.append(Reply(note=note.id, thread=note.thread, body=body))
    return actions


def left_resolved(fates: Sequence[Fate], account: str) -> frozenset[str]:
    """Return the ids of open candidates whose thread stays resolved."""
    return frozenset(
        fate.candidate.id
        for fate in fates
        if fate.candidate and _is_open(fate) and fate.note.is_resolved and not _is_opened(fate.note, account)
    )


def _is_opened(note: OwnNote, account: str) -> bool:
    return _is_resolved_by(note, account) and _last_word(note) != "back"


def _is_open(fate: Fate) -> bool:
    return fate.kind in ("open", "moved") and fate.candidate is not None and fate.candidate.is_shown


def _is_blocking(fate: Fate, report: Report) -> bool:
    return fate.candidate is not None and fate.candidate.id in (
        *report.verdict.blocking,
        *report.gate.failed_by,
    )


def _is_resolved_by(note: OwnNote, account: str) -> bool:
    # Some interfaces leave out what others write behind the name of an App.
    names = {one.removesuffix("[bot]") for one in (note.resolved_by, account)}
    return note.is_resolved and bool(note.resolved_by) and len(names) == 1


def _last_word(note: OwnNote) -> str:
    """Return our last word in the thread, `fixed` or `back`; empty if there is none."""
    return next((own.to for own in reversed(note.own_replies) if own.to in ("fixed", "back")), "")
