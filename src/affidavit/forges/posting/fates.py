"""Decide what became of findings with a comment of ours, and resolve the threads of fixed ones."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from affidavit.forges.posting.actions import Resolve
from affidavit.forges.posting.bodies import fixed_body
from affidavit.forges.standing import OwnNote
from affidavit.proof.sameness import names_of
from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Reason
from affidavit.records.report import Report

NoteFate = Literal["open", "fixed", "cannot_tell", "dismissed"]


@dataclass(frozen=True)
class Fate:
    """What became of one finding and why, with its candidate in the new report."""

    note: OwnNote
    kind: NoteFate
    reason: str = ""
    candidate: Candidate | None = None


def decide_fates(report: Report, notes: Iterable[OwnNote]) -> list[Fate]:
    """Decide the fate of each of our comments: by the report's follow-up, else by the fingerprint."""
    return [_followed_up(report, note) or _same(report, note) for note in notes]


def _followed_up(report: Report, note: OwnNote) -> Fate | None:
    """Return the fate that the report's follow-up gives."""
    follow_up = report.follow_up
    if follow_up is None:
        return None
    candidates = {one.id: one for one in report.candidates}
    for decision in follow_up.decisions:
        if not {decision.key, decision.fingerprint} & note.mark.names:
            continue
        now = candidates.get(decision.now or "")
        if decision.fate in ("fixed", "cannot_tell", "dismissed"):
            return Fate(note, decision.fate, decision.reason, now)
        return _as_candidate(note, now) if now else Fate(note, "open", decision.reason)
    back = (candidates.get(one.now) for one in follow_up.returned if one.key in note.mark.names)
    return next((_as_candidate(note, one) for one in back if one), None)


def _same(report: Report, note: OwnNote) -> Fate:
    for candidate in report.candidates:
        if candidate.finding and names_of(candidate) & note.mark.names:
            return _as_candidate(note, candidate)
    why = "it was not raised again, which does not show that it is fixed"
    return Fate(note, "cannot_tell", why if report.follow_up else "this review follows no earlier one")


def _as_candidate(note: OwnNote, candidate: Candidate) -> Fate:
    withheld = candidate.withheld
    if withheld is None:
        return Fate(note, "open", "", candidate)
    if withheld.code is Reason.SUPPRESSED:
        said = f"a comment that the change adds silences it ({withheld.detail})"
        return Fate(note, "cannot_tell", said, candidate)
    kinds: dict[str, NoteFate] = {Reason.DISMISSED: "dismissed", Reason.FIXED: "fixed"}
    return Fate(note, kinds.get(withheld.code, "open"), withheld.detail, candidate)


def close_fixed(fates: Sequence[Fate], report: Report) -> list[Resolve]:
    """Resolve our threads of fixed findings."""
    return [
        Resolve(
            note=fate.note.id,
            thread=fate.note.thread,
            instead=fixed_body(fate.note.mark.fingerprint, fate.reason, report),
        )
        for fate in fates
        if fate.kind == "fixed" and not fate.note.is_resolved and not _is_called_fixed(fate.note)
    ]


def is_closed_by_us(note: OwnNote, account: str) -> bool:
    """Check whether we closed a thread as fixed; if its finding comes back, it gets a new comment."""
    # Some interfaces leave out what others write behind the name of an App.
    names = {one.removesuffix("[bot]") for one in (note.resolved_by, account)}
    is_resolved_by_us = note.is_resolved and bool(note.resolved_by) and len(names) == 1
    return is_resolved_by_us or _is_called_fixed(note)


def _is_called_fixed(note: OwnNote) -> bool:
    return any(own.to == "fixed" for own in note.own_replies)
