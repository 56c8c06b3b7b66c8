"""Carry the open findings of the earlier review into this one, and decide what became of each."""

from collections.abc import Sequence
from dataclasses import replace

from affidavit.iterations.fates import (
    Carrying,
    Entry,
    all_names,
    anchored,
    as_suppressed,
    decide,
    decided_again,
    earlier_judgement,
    is_carried_over,
    is_out_of_sight,
    kept_judgement,
    open_judgement,
    parts_of,
    place_entries,
    why_not_read,
    with_partners,
    with_suppressed,
)
from affidavit.iterations.matching import find_returned, fingerprints_of, match_findings
from affidavit.iterations.scope import Touched, rests_on, touched_since
from affidavit.iterations.trace import Trace, trace_code
from affidavit.ports import Case
from affidavit.proof.fingerprints import add_fingerprints
from affidavit.proof.quotes import find_quote
from affidavit.proof.sameness import lines_apart
from affidavit.proof.searches import cause_problem, run_search
from affidavit.records.candidate import Candidate, Carried, Judgement
from affidavit.records.diagnostics import Reason
from affidavit.records.docket import Docket
from affidavit.records.finding import NEAR_LINES, Finding
from affidavit.records.iteration import (
    DecidedBy,
    Earlier,
    EarlierFinding,
    Fate,
    FollowUp,
)
from affidavit.records.report import Report

STAGE = "follow_up"


def carry(docket: Docket, case: Case) -> tuple[Docket, Carrying]:
    """Mark repeated findings, and add the earlier ones that are not repeated at their current places."""
    earlier = case.earlier
    if earlier is None:
        return docket, Carrying()
    touched = touched_since(earlier, case)
    entries = [_entry(one, earlier, case) for one in earlier.findings]
    named = add_fingerprints(docket, case).candidates
    entries = with_suppressed(with_partners(entries, earlier.findings, named), named)
    brought: list[Candidate] = []
    for at, one in enumerate(entries):
        entries[at], candidates = _carry_all(at, one, touched, docket, case)
        brought += candidates
    repeated = {one.now: one for one in entries if one.now}
    candidates = [
        _repeated(one, repeated[one.id]) if one.id in repeated else one for one in docket.candidates
    ]
    candidates = _with_dismissed(candidates, earlier, {*repeated}, named)
    return docket.then([*candidates, *brought]), Carrying(tuple(entries))


def rerun(docket: Docket) -> Docket:
    """Run the programs of earlier findings again: each still fails, or is fixed."""
    return docket.then(_rerun(one) if is_carried_over(one) else one for one in docket.candidates)


def follow_up_of(report: Report, carrying: Carrying, case: Case) -> FollowUp | None:
    """Say what became of every finding of the earlier review, from the finished report."""
    earlier = case.earlier
    if earlier is None:
        return None
    known = {one.id: one for one in report.candidates}
    decisions = [decide(one, known) for one in carrying.entries]
    followed = {one.now for one in decisions if one.now}
    names = {name for one in earlier.findings for name in all_names(one)}
    if earlier.head.tree == case.change.head.tree:
        decisions = decided_again(earlier.decided, decisions)
        followed, names = {one.now for one in decisions if one.now}, {one.key for one in decisions}
    fresh = [one for one in report.shown if one.id not in followed and one.fingerprint not in names]
    returned = find_returned(fresh, earlier.history)
    back = {one.now for one in returned}
    return FollowUp(
        series=earlier.series,
        iteration=earlier.number + 1,
        previous=earlier.report_id,
        digest=earlier.digest,
        decisions=tuple(decisions),
        new=tuple(one.id for one in fresh if one.id not in back),
        returned=returned,
        scope=case.scope,
    )


# Before anybody is asked


def _entry(one: EarlierFinding, earlier: Earlier, case: Case) -> Entry:
    """Find where a finding's code is now; if that place is gone, another of its places represents it."""
    finding = one.candidate.finding
    if finding is None:
        return Entry(one, Trace("gone", ""), settled=("fixed", "evidence", "it had no finding"))
    trace = trace_code(one.candidate, finding, earlier, case)
    is_rewritten = _is_rewritten(finding.file, trace.path, earlier, case)
    if one.candidate.kind == "mechanical":
        return Entry(one, trace, is_rewritten=is_rewritten, places=place_entries(one, earlier, case))
    places = [
        (place, trace_code(place, place.finding, earlier, case))
        for place in one.places
        if place.finding and _is_apart(finding, place.finding)
    ]
    standing = next(((place, at) for place, at in places if at.outcome in ("stands", "moved")), None)
    # Changed is not fixed: code that only changed still has to be judged.
    some_fixed = any(at.outcome == "gone" for _, at in places)
    if trace.outcome in ("changed", "gone") and standing:
        some_fixed = some_fixed or trace.outcome == "gone"
        place, trace = standing
        one = one.model_copy(update={"candidate": _in_its_stead(one.candidate, place)})
        is_rewritten = _is_rewritten(finding.file, trace.path, earlier, case)
    entry = Entry(one, trace, is_rewritten=is_rewritten, some_fixed=some_fixed)
    return replace(entry, settled=_settled(finding, trace, case))


def _is_rewritten(then: str, now: str, earlier: Earlier, case: Case) -> bool:
    """Check whether the content of a file changed since the earlier review."""
    entry = case.repository.head.entry(now)
    blobs = {one.new_blob for one in earlier.files if one.path == then}
    return entry is None or (entry.blob not in blobs if blobs else case.change.file_at(now) is not None)


def _is_apart(one: Finding, other: Finding) -> bool:
    """Check that two places are not the same one, reported twice."""
    is_one_file = (one.file, one.side) == (other.file, other.side)
    return not is_one_file or lines_apart(one.lines, other.lines) > NEAR_LINES


def _in_its_stead(leader: Candidate, place: Candidate) -> Candidate:
    """Let another place of one cause represent the finding, with its status and judgements."""
    kept = {
        name: getattr(leader, name) for name in ("status", "worth", "confidence", "judgements", "carries")
    }
    return place.model_copy(update={**kept, "fingerprint": leader.fingerprint})


def _settled(finding: Finding, trace: Trace, case: Case) -> tuple[Fate, DecidedBy, str] | None:
    """Decide by evidence alone what became of a model's finding."""
    if trace.outcome == "gone":
        return "fixed", "evidence", trace.detail
    is_inside = case.change.file_at(trace.path, finding.side) is not None
    if not is_inside and not finding.is_impact:
        return "fixed", "evidence", f"the change no longer touches {trace.path}"
    problem = cause_problem(finding.evidence, case.change, case.repository)
    if problem is not None:
        return "fixed", "evidence", problem
    if case.has_verifier:
        return None
    return _settled_without_verifier(finding, case)


def _settled_without_verifier(finding: Finding, case: Case) -> tuple[Fate, DecidedBy, str] | None:
    proof = finding.evidence
    if proof.is_absence_finding:
        hits = [hit for search in proof.searches for hit in run_search(search, case.repository).hits]
        if hits:
            return "fixed", "evidence", f"what was missing is found at {hits[0].path}:{hits[0].line}"
    if finding.side == "base":
        file = case.change.file_at(finding.file, "base")
        lines = case.repository.head.redacted_lines(file.head_path) if file and file.head_path else None
        if lines and find_quote(proof.code_examined, lines):
            return "fixed", "evidence", f"the removed code is back in {file.head_path if file else ''}"
    return None


def _repeated(candidate: Candidate, entry: Entry) -> Candidate:
    standing = kept_judgement(entry.earlier.candidate, entry.trace)
    names = [*candidate.carries, *sorted(fingerprints_of(entry.earlier))]
    return candidate.then(
        STAGE,
        f"reported in the earlier review as {entry.earlier.candidate.id}; {entry.trace.detail}",
        carries=tuple(dict.fromkeys(names)) if candidate.kind != "mechanical" else candidate.carries,
        carried=_carried(entry, standing, asks=standing is not None, is_repeated=True),
    )


def _carried(entry: Entry, judgement: Judgement | None, *, asks: bool, is_repeated: bool = False) -> Carried:
    return Carried(
        earlier=entry.earlier.candidate.id,
        key=entry.earlier.key,
        trace=entry.trace.outcome,
        detail=entry.trace.detail,
        is_repeated=is_repeated,
        judgement=judgement,
        asks=asks,
    )


def _with_dismissed(
    candidates: Sequence[Candidate], earlier: Earlier, taken: set[str], named: Sequence[Candidate]
) -> list[Candidate]:
    """Give findings that people dismissed their earlier names, so that the dismissal counts."""
    free = [one for one in named if one.id not in taken and one.kind != "mechanical" and one.withheld is None]
    traces = [
        Trace("stands", one.candidate.finding.file, *one.candidate.finding.lines)
        if one.candidate.finding
        else Trace("gone", "")
        for one in earlier.dismissed
    ]
    matched = match_findings(earlier.dismissed, traces, free)
    names = {one.id: fingerprints_of(earlier.dismissed[at]) for at, one in matched.items()}
    return [
        one.then(
            STAGE,
            "dismissed in an earlier review",
            carries=tuple(dict.fromkeys([*one.carries, *sorted(names[one.id])])),
        )
        if one.id in names
        else one
        for one in candidates
    ]


def _carry_all(
    at: int, entry: Entry, touched: Touched, docket: Docket, case: Case
) -> tuple[Entry, list[Candidate]]:
    """Carry over the places of an entry that are neither repeated nor settled.

    If the first place is fixed and another one is not, that one represents the entry.
    """
    parts, brought = list(parts_of(entry)), {}
    for number, one in enumerate(parts):
        if one.now is None and one.settled is None:
            name = f"earlier-{at}-{number}" if number else f"earlier-{at}"
            parts[number], candidate = _carry(name, at, one, touched, docket, case)
            brought.update({name: candidate} if candidate else {})
    first, *others = parts
    now = first.now or min(
        (one.now for one in others if one.now), key=lambda name: name in brought, default=None
    )
    if now is None:
        return first, []
    is_partly = first.some_fixed or any(one.settled for one in parts)
    whole = replace(first, now=now, settled=None, some_fixed=is_partly)
    return whole, [_of_series(one, now, entry.earlier.key) for one in brought.values()]


def _of_series(brought: Candidate, now: str, key: str) -> Candidate:
    """Give the finding's name in the series to its representative, and withhold its other open places."""
    carried = brought.carried
    if brought.id == now and carried:
        return brought.model_copy(update={"carried": carried.model_copy(update={"key": key})})
    is_untold = carried is not None and carried.judgement is not None and not carried.judgement.answer
    return brought.withhold(STAGE, Reason.DUPLICATE_OF, now) if is_untold else brought


def _carry(
    name: str, at: int, entry: Entry, touched: Touched, docket: Docket, case: Case
) -> tuple[Entry, Candidate | None]:
    """Carry an earlier finding that is not repeated into this review, unless it is settled."""
    then, finding = entry.earlier.candidate, entry.earlier.candidate.finding
    if finding is None:
        return entry, None
    if then.kind == "mechanical":
        there, standing = _by_its_analyser(entry, finding, docket, case)
        asks = False
    else:
        there, standing = entry, _before_its_verifier(entry)
        asks = _asks(standing, entry, finding, touched, case)
    # Its analyser may word it differently now.
    finding = there.earlier.candidate.finding or finding
    candidate = anchored(name, at, there, finding, case) if there.settled is None else None
    if candidate is None:
        settled = there.settled or ("fixed", "evidence", there.trace.detail)
        return replace(entry, trace=there.trace, settled=settled), None
    now = replace(entry, now=candidate.id, trace=there.trace)
    said = f"open since the earlier review; {there.trace.detail}"
    return now, candidate.then(STAGE, said, carried=_carried(now, standing, asks=asks))


def _by_its_analyser(
    entry: Entry, finding: Finding, docket: Docket, case: Case
) -> tuple[Entry, Judgement | None]:
    """Settle what an analyser no longer reports, if it looked and nothing silences it."""
    then, trace = entry.earlier.candidate, entry.trace
    silence = why_not_read(then, finding, trace, docket, case)
    if silence is None:
        if entry.silenced and entry.silenced.finding:
            there = as_suppressed(entry, entry.silenced, entry.silenced.finding)
            return there, open_judgement(then, there.trace.detail)
        reason = f"{then.specialist} no longer reports it"
        return replace(entry, settled=("fixed", "analyser", reason)), None
    if not trace.is_somewhere:
        return replace(entry, settled=("fixed", "evidence", trace.detail)), None
    if trace.outcome != "changed" and is_out_of_sight(then, trace, case):
        return entry, open_judgement(then, f"{trace.detail}; {silence}")
    return entry, Judgement(by="earlier", outcome="skipped", reason=silence or "")


def _before_its_verifier(entry: Entry) -> Judgement:
    if entry.trace.outcome != "changed":
        return earlier_judgement(entry.earlier.candidate)
    return Judgement(by="earlier", outcome="skipped", reason=f"{entry.trace.detail}; no verifier was asked")


def _asks(standing: Judgement, entry: Entry, finding: Finding, touched: Touched, case: Case) -> bool:
    """Check whether something that the claim depends on was touched."""
    cause = finding.evidence.caused_by
    return (
        standing.outcome == "skipped"
        or rests_on(entry.trace.path, touched, case.repository.head)
        or (cause is not None and cause.file in touched.paths)
    )


# Between running and judging


def _rerun(candidate: Candidate) -> Candidate:
    check, carried = candidate.reproduction, candidate.carried
    if check is None or carried is None or carried.judgement is None:
        return candidate
    if check.outcome == "not_reproduced":
        return candidate.withhold(STAGE, Reason.FIXED, f"its program no longer fails: {check.detail}")
    if not check.is_shown_by_running:
        return candidate
    standing = Judgement(
        by="earlier",
        answer="CONFIRMED",
        worth=carried.judgement.worth,
        severity=candidate.claim.severity,
        reason="its program still shows it at the new head",
    )
    now = carried.model_copy(update={"judgement": standing, "asks": False})
    return candidate.then(STAGE, standing.reason, carried=now)
