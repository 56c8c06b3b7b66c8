"""Make the view of a report: the order, groups and texts that every format shows.

All text in it is raw: each format makes it safe in its own way.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import Finding
from affidavit.records.record import Record, Side
from affidavit.records.report import Decision, Report
from affidavit.render import account, programs, proof, wording
from affidavit.render.changed_lines import ChangedLine, changed_place, is_told_apart, marks_of
from affidavit.render.programs import Compared, Part

MAX_ANCHOR_LENGTH = 64


class QuoteView(Record):
    code: str
    start: int
    language: str
    guilty: tuple[int, int]
    marks: dict[int, str]
    is_told_apart: bool
    """Marks are needed: changed and unchanged lines are mixed, or lines were removed."""


class CauseView(Record):
    """The change behind a finding in code that was not touched."""

    file: str
    symbol: str
    line: int | None
    lines: tuple[ChangedLine, ...]


class FurtherView(Record):
    id: str
    place: str
    line: int
    code: str
    """Empty if no code is quoted there."""
    said: str
    by: str


class ProgramView(Record):
    outcome: str
    line: tuple[str, ...]
    ended: dict[Side, str]
    parts: tuple[Part, ...]


class PatchView(Record):
    said: str
    steps: tuple[str, ...]
    text: str


class WithheldView(Record):
    code: str
    why: str
    detail: str
    leader: str | None


class FindingView(Record):
    id: str
    anchor: str
    title: str
    place: str
    file: str
    """Empty if the contract dropped the finding."""
    severity: str
    is_folded: bool
    is_blocking: bool
    standing: tuple[str, ...]
    in_brackets: tuple[str, ...]
    message: str
    sentence: str
    claim: tuple[tuple[str, str], ...]
    suggestion: str
    quote: QuoteView | None
    cause: CauseView | None
    under: tuple[tuple[str, str], ...]
    under_in_short: str
    lines: tuple[FurtherView, ...]
    places: tuple[FurtherView, ...]
    accounts: tuple[FurtherView, ...]
    proof_line: tuple[str, ...]
    proof_steps: tuple[str, ...]
    quote_said: str
    judged: tuple[str, ...]
    """A text for each judgement, without its reason."""
    packages: tuple[str, ...]
    found_by: str
    agreed_by: tuple[str, ...]
    where_checked: str
    first_wording: str
    fingerprint: str
    program: ProgramView | None
    patch: PatchView | None
    withheld: WithheldView | None

    @property
    def places_under(self) -> list[tuple[str, str]]:
        return [one for one in self.under if one[0] == "also at"]

    @property
    def accounts_under(self) -> list[tuple[str, str]]:
        return [one for one in self.under if one[0] != "also at"]


class ReportView(Record):
    id: str
    title: str
    range: str
    files: int
    added: int
    removed: int
    nothing_to_review: str
    decision: Decision
    headline: str
    gate: tuple[str, ...]
    """The gate in words, then the severe findings that do not count."""
    findings: tuple[FindingView, ...]
    series: str
    decisions: tuple[tuple[str, str], ...]
    alerts: tuple[str, ...]
    withheld_counts: tuple[tuple[str, int], ...]
    set_aside: str
    set_aside_count: int
    set_aside_lines: tuple[str, ...]
    incomplete: tuple[str, ...]
    not_run: tuple[str, ...]
    suppressions: tuple[tuple[str, str], ...]
    skipped: tuple[tuple[str, str], ...]
    not_looked_at: tuple[tuple[str, str], ...]
    in_part: tuple[tuple[str, str], ...]
    coverage: str
    settings: str
    model_says: str
    spent: str
    error_rate: str
    behaviour: str
    probes: tuple[Compared, ...]

    @property
    def shown(self) -> list[FindingView]:
        return [one for one in self.findings if one.withheld is None]

    @property
    def standing(self) -> list[FindingView]:
        return [one for one in self.shown if not one.is_folded]

    @property
    def folded(self) -> list[FindingView]:
        return [one for one in self.shown if one.is_folded]

    @property
    def withheld(self) -> list[FindingView]:
        return [one for one in self.findings if one.withheld is not None]

    @property
    def nits(self) -> list[FindingView]:
        return [one for one in self.withheld if one.file and one.withheld and one.withheld.code == Reason.NIT]


def by_file(findings: Iterable[FindingView]) -> dict[str, list[FindingView]]:
    files: dict[str, list[FindingView]] = {}
    for one in findings:
        if one.file:
            files.setdefault(one.file, []).append(one)
    return files


def view_of(report: Report) -> ReportView:
    change = report.change
    added, removed = wording.line_totals(change)
    return ReportView(
        id=report.id,
        title=change.title or change.target,
        range=wording.range_of(change),
        files=len(change.files),
        added=added,
        removed=removed,
        nothing_to_review=report.verdict.summary if change.why_empty and not report.candidates else "",
        decision=report.verdict.decision,
        headline=wording.headline(report),
        gate=tuple(wording.gate_words(report, "→")),
        findings=tuple(finding_views(report)),
        series=account.series_sentence(report),
        decisions=tuple(account.decision_lines(report)),
        alerts=tuple(account.alert_lines(report)),
        withheld_counts=tuple(account.withheld_counts(report.withheld)),
        set_aside=account.set_aside_words(report),
        set_aside_count=report.set_aside_count,
        set_aside_lines=tuple(account.set_aside_lines(report)),
        incomplete=tuple(map(wording.part_sentence, report.incomplete)),
        not_run=tuple(map(wording.part_sentence, report.not_run)),
        suppressions=tuple(wording.added_suppressions(report)),
        skipped=tuple(wording.skipped_files(report)),
        not_looked_at=tuple(wording.unexamined_files(report)),
        in_part=tuple(wording.partly_examined_files(report)),
        coverage=wording.coverage_sentence(report),
        settings=wording.settings_sentence(report),
        model_says=report.words.summary if report.words else "",
        spent=wording.spent_sentence(report),
        error_rate=account.headline_words(report.measured),
        behaviour=programs.behaviour_sentence(report),
        probes=tuple(programs.compared(report)),
    )


def finding_views(report: Report) -> Iterator[FindingView]:
    known = {one.id: one for one in report.candidates}
    shown = _after_what_hides_them(wording.ordered(report.shown), known)
    candidates = [*shown, *wording.ordered(report.withheld)]
    duplicates = proof.duplicates_by_leader(report.candidates)
    for candidate, anchor in zip(candidates, _anchors(candidates), strict=True):
        yield _finding_view(
            candidate, report, _FindingContext(anchor, known, duplicates.get(candidate.id, ()))
        )


def finding_view(candidate: Candidate, report: Report) -> FindingView:
    known = {one.id: one for one in report.candidates}
    return _finding_view(
        candidate, report, _FindingContext("", known, proof.duplicates_of(candidate, report))
    )


def _after_what_hides_them(shown: Sequence[Candidate], known: Mapping[str, Candidate]) -> Iterator[Candidate]:
    """Move a finding that appears only once another is fixed behind that one."""
    hidden: dict[str, list[Candidate]] = {}
    for one in shown:
        hidden.setdefault(_hider_id(one, known), []).append(one)
    for one in hidden.pop("", ()):
        yield from (one, *hidden.pop(one.id, ()))
    for left in hidden.values():
        yield from left


def _hider_id(candidate: Candidate, known: Mapping[str, Candidate]) -> str:
    hider = _hider_of(candidate, known)
    return hider.id if hider else ""


def _hider_of(candidate: Candidate, known: Mapping[str, Candidate]) -> Candidate | None:
    """Return the shown finding that hides this one until it is fixed: its own reply names it."""
    name = candidate.evidence.appears_after
    named = (
        one
        for one in known.values()
        if name and one.specialist == candidate.specialist and one.finding and one.finding.id == name
    )
    found = next(named, None)
    leader = known.get(found.duplicate_of, found) if found else None
    return leader if leader and leader.is_shown and leader.id != candidate.id else None


def _anchors(candidates: Iterable[Candidate]) -> Iterator[str]:
    """Yield an anchor for each candidate; repeated fingerprints get a number."""
    taken: dict[str, int] = {}
    for candidate in candidates:
        stem = re.sub(r"[^A-Za-z0-9]+", "-", candidate.fingerprint).strip("-")[:MAX_ANCHOR_LENGTH]
        first = f"finding-{stem or 'without-fingerprint'}"
        taken[first] = taken.get(first, 0) + 1
        yield first if taken[first] == 1 else f"{first}--{taken[first]}"


@dataclass(frozen=True)
class _FindingContext:
    """The parts of the report that a finding's view needs."""

    anchor: str
    known: Mapping[str, Candidate]
    duplicates: Sequence[Candidate]


def _finding_view(candidate: Candidate, report: Report, around: _FindingContext) -> FindingView:
    finding = candidate.finding
    evidence = finding.verification if finding else None
    under = proof.under_of(candidate, around.duplicates)
    return FindingView(
        id=candidate.id,
        anchor=around.anchor,
        title=wording.title_of(candidate),
        place=wording.place_of(candidate),
        file=finding.file if finding else "",
        severity=finding.severity.value if finding else "",
        is_folded=candidate.folded,
        is_blocking=candidate.id in report.gate.failed_by,
        standing=tuple(wording.standing_words(candidate, report)),
        in_brackets=tuple(proof.gate_note(candidate, report)),
        message=wording.message_of(finding) if finding else "",
        sentence=wording.in_a_sentence(candidate),
        claim=(*wording.claim(finding), *_after(candidate, around.known)) if finding else (),
        suggestion=(finding.suggestion or "") if finding else "",
        quote=_quote(candidate, finding, report) if finding else None,
        cause=_cause(finding, report) if finding else None,
        under=tuple(proof.under_words(under)),
        under_in_short=proof.places_in_short(under),
        lines=tuple(map(_further, under.lines)),
        places=tuple(map(_further, under.places)),
        accounts=tuple(map(_further, under.accounts)),
        proof_line=tuple(proof.proof_line(candidate, report)),
        proof_steps=tuple(proof.proof_steps(candidate)),
        quote_said=proof.quote_words(candidate.quote),
        judged=tuple(map(proof.judgement_words, candidate.judgements)),
        packages=tuple(one.summary for one in candidate.dependency_quotes),
        found_by=wording.finder_name(candidate.specialist),
        agreed_by=tuple(wording.agreeing(candidate)),
        where_checked=(evidence.where_checked or "") if evidence else "",
        first_wording=proof.first_wording(candidate),
        fingerprint=candidate.fingerprint,
        program=_program(candidate, report),
        patch=_patch(candidate),
        withheld=_withheld(candidate, around.known),
    )


def _after(candidate: Candidate, known: Mapping[str, Candidate]) -> list[tuple[str, str]]:
    hider = _hider_of(candidate, known)
    return [("after", f"{wording.place_of(hider)} is fixed: {wording.title_of(hider)}")] if hider else []


def _quote(candidate: Candidate, finding: Finding, report: Report) -> QuoteView | None:
    quote = candidate.quote
    if quote is None or not quote.code:
        return None
    marks = marks_of(quote, report.change)
    return QuoteView(
        code=quote.code,
        start=quote.start or 1,
        language=wording.language_of(report.change, finding.file),
        guilty=finding.lines,
        marks=marks,
        is_told_apart=is_told_apart(marks, quote),
    )


def _cause(finding: Finding, report: Report) -> CauseView | None:
    cause = finding.verification.caused_by if finding.verification else None
    if cause is None:
        return None
    place = changed_place(report.change, cause)
    return CauseView(
        file=cause.file,
        symbol=cause.symbol,
        line=place.anchor.number if place else None,
        lines=place.lines if place else (),
    )


def _further(candidate: Candidate) -> FurtherView:
    return FurtherView(
        id=candidate.id,
        place=wording.place_of(candidate),
        line=candidate.finding.line if candidate.finding else 0,
        code=proof.code_at(candidate),
        said=proof.account_words(candidate),
        by=wording.finder_name(candidate.specialist),
    )


def _program(candidate: Candidate, report: Report) -> ProgramView | None:
    check, parts = candidate.reproduction, tuple(programs.program_parts(candidate, report.id))
    if check is None:
        return ProgramView(outcome="", line=(), ended={}, parts=parts) if parts else None
    runs = programs.runs_of(check)
    said = [*map(programs.ending_words, runs), f"again: {programs.how_to_repeat(report.id)}"]
    return ProgramView(
        outcome=programs.outcome_words(check),
        line=tuple(said) if runs else (check.detail,),
        ended={run.side: run.summary for run in reversed(runs)},
        parts=parts,
    )


def _patch(candidate: Candidate) -> PatchView | None:
    text = proof.patch_text(candidate)
    if not text and candidate.patch_trial is None:
        return None
    steps = tuple(proof.trial_lines(candidate))
    return PatchView(said=proof.patch_words(candidate), steps=steps, text=text)


def _withheld(candidate: Candidate, known: Mapping[str, Candidate]) -> WithheldView | None:
    if candidate.is_shown:
        return None
    leader = proof.leader_of(candidate, known)
    return WithheldView(
        code=wording.withheld_reason(candidate),
        why=account.why_words(candidate),
        detail=proof.why_withheld(candidate, known),
        leader=leader.id if leader else None,
    )
