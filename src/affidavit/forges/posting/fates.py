"""What became of the findings that stand on a forge: our comments and the new report in, a fate each out."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from affidavit.forges.standing import OwnNote, Standing
from affidavit.records.candidate import Candidate
from affidavit.records.change import Change
from affidavit.records.report import Report

NoteFate = Literal["open", "moved", "fixed", "cannot_tell", "dismissed"]


@dataclass(frozen=True)
class Fate:
    """What became of one finding, why, and as which candidate it lives on."""

    note: OwnNote
    kind: NoteFate
    reason: str = ""
    candidate: Candidate | None = None


def names_of(candidate: Candidate) -> frozenset[str]:
    """All names of a finding: its own, and those of the findings with the same cause."""
    return frozenset(name for name in (candidate.fingerprint, *candidate.carries) if name)


def decide_fates(report: Report, notes: Iterable[OwnNote]) -> list[Fate]:
    """The fate of each of our comments; `fixed` is said only of what is shown to be."""
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
    moved = _moved(report, note, known, taken)
    if moved:
        return Fate(note, "moved", "the same rule at another line", moved)
    return _gone(report, note)


def _same(report: Report, note: OwnNote) -> Fate | None:
    """The finding under one of its names."""
    for candidate in report.candidates:
        if candidate.finding and names_of(candidate) & note.mark.names:
            code = str(candidate.withheld.code) if candidate.withheld else ""
            ends: dict[str, NoteFate] = {"dismissed": "dismissed", "fixed": "fixed"}
            reason = candidate.withheld.detail if candidate.withheld else ""
            return Fate(note, ends.get(code, "open"), reason, candidate)
    return None


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


def _moved(report: Report, note: OwnNote, known: frozenset[str], taken: set[str]) -> Candidate | None:
    """A new finding of the same rule in the same file is the old one, with another text around it."""
    if not note.mark.rule or not note.path:
        return None
    alike = [
        one
        for one in report.shown
        if one.finding
        and one.finding.rule_id == note.mark.rule
        and note.path in _paths(report.change, one)
        and not names_of(one) & known
        and one.id not in taken
    ]
    line = note.line or 0
    return min(alike, key=lambda one: abs((one.finding.line if one.finding else 0) - line), default=None)


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
        return Fate(note, "fixed", f"{note.path} is no longer part of the change")
    if note.mark.by != "machine":
        return Fate(note, "cannot_tell", "it was not raised again, which does not show that it is fixed")
    analyser = note.mark.rule.partition("/")[0]
    if any(_could_not_look(report, file.path, analyser) for file in files) or not files:
        return Fate(note, "cannot_tell", f"{analyser} could not look at its file this time")
    return Fate(note, "fixed", f"{note.mark.rule} no longer reports it at {_head(report)}")


def _could_not_look(report: Report, path: str, analyser: str) -> bool:
    covered = next((one for one in report.coverage if one.path == path), None)
    if covered is None or covered.state != "examined":
        return True
    if any(gap.name == analyser for gap in (*report.incomplete, *report.not_run)):
        return True
    runs = [run for run in report.analyser_runs if run.analyser == analyser and run.side == "head"]
    return bool(runs) and not any(run.state in ("completed", "nothing_to_do") for run in runs)


def _head(report: Report) -> str:
    return (report.change.head.commit or report.change.head.tree)[:8]


def without_doubles(standing: Standing) -> tuple[list[OwnNote], list[OwnNote]]:
    """Our comments on findings, each finding once, and the younger ones that say the same again."""
    kept: list[OwnNote] = []
    doubles: list[OwnNote] = []
    for note in standing.findings:
        is_double = any(note.mark.names & other.mark.names for other in kept)
        (doubles if is_double else kept).append(note)
    return kept, doubles
