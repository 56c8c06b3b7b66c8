"""Decide what became of the findings that we commented on, and resolve the threads of fixed ones."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from affidavit.config.settings import Settings
from affidavit.forges.posting.actions import Resolve
from affidavit.forges.posting.bodies import fixed_body
from affidavit.forges.standing import OwnNote
from affidavit.proof.sameness import names_of
from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Reason
from affidavit.records.report import Report
from affidavit.specialists.rulebook import rules_off

NoteFate = Literal["open", "fixed", "cannot_tell", "dismissed"]


@dataclass(frozen=True)
class Fate:
    """What became of one finding, why, and as which candidate it lives on."""

    note: OwnNote
    kind: NoteFate
    reason: str = ""
    candidate: Candidate | None = None


def decide_fates(report: Report, notes: Iterable[OwnNote]) -> list[Fate]:
    """Decide the fate of each of our comments, by the follow-up of the report or else by the fingerprints."""
    notes = list(notes)
    return [_followed_up(report, note) or _same(report, note) or _gone(report, note, notes) for note in notes]


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


def _same(report: Report, note: OwnNote) -> Fate | None:
    for candidate in report.candidates:
        if candidate.finding and names_of(candidate) & note.mark.names:
            return _as_candidate(note, candidate)
    return None


def _as_candidate(note: OwnNote, candidate: Candidate) -> Fate:
    withheld = candidate.withheld
    if withheld is None:
        return Fate(note, "open", "", candidate)
    if withheld.code is Reason.SUPPRESSED:
        said = f"a comment that the change adds silences it ({withheld.detail})"
        return Fate(note, "cannot_tell", said, candidate)
    kinds: dict[str, NoteFate] = {Reason.DISMISSED: "dismissed", Reason.FIXED: "fixed"}
    return Fate(note, kinds.get(withheld.code, "open"), withheld.detail, candidate)


def _gone(report: Report, note: OwnNote, notes: Sequence[OwnNote]) -> Fate:
    """Decide about a finding that the report does not have; fixed only if it would have been found again."""
    rule, name = note.mark.rule, note.mark.rule.partition("/")[0]
    files = [one.path for one in report.change.files if note.path in (one.path, one.old_path)]
    is_rule_off = rules_off(Settings.model_validate(report.settings))
    doubts = {
        "it was not raised again, which does not show that it is fixed": note.mark.by != "machine",
        "its file is no longer part of the change": not files,
        f"{name} could not look at its file this time": any(
            _could_not_look(report, path, name) for path in files
        ),
        f"the rule {rule} is off in this review": any(is_rule_off(rule, path) for path in files),
        f"{rule} now reports another line": _may_live_on(report, note, notes),
    }
    doubt = next((why for why, holds in doubts.items() if holds), "")
    if doubt:
        return Fate(note, "cannot_tell", doubt)
    head = (report.change.head.commit or report.change.head.tree)[:8]
    return Fate(note, "fixed", f"{rule} no longer reports it at {head}")


def _may_live_on(report: Report, note: OwnNote, notes: Sequence[OwnNote]) -> bool:
    """Check whether a finding of the same rule is not known to be another one: the line may be edited."""
    others = frozenset(
        name
        for one in notes
        if one.mark.report == note.mark.report or one.created_at < note.created_at
        for name in one.mark.names
    )
    return any(
        one.finding and one.finding.rule_id == note.mark.rule and not names_of(one) & others
        for one in report.candidates
    )


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
