"""Decide what became of each finding of the earlier review."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from affidavit.iterations.matching import fingerprints_of, match_findings
from affidavit.iterations.trace import Trace, trace_code
from affidavit.ports import Case
from affidavit.proof.quotes import check_quote
from affidavit.proof.searches import run_search
from affidavit.records.candidate import Candidate, Judgement, Status
from affidavit.records.diagnostics import Reason
from affidavit.records.docket import Docket
from affidavit.records.finding import Finding, Severity
from affidavit.records.iteration import DecidedBy, Earlier, EarlierFinding, Fate, FindingDecision


@dataclass(frozen=True)
class Entry:
    """One finding of the earlier review on its way through this one."""

    earlier: EarlierFinding
    trace: Trace
    now: str | None = None
    """The id of the candidate that it lives on as."""
    settled: tuple[Fate, DecidedBy, str] | None = None
    """The decision, if it needs no verifier."""
    is_rewritten: bool = False
    """The content of its file has changed."""
    some_fixed: bool = False
    """Some of its places changed."""
    places: tuple["Entry", ...] = ()
    """The other places of an analyser's finding; each is followed like a finding."""
    silenced: Candidate | None = None
    """The same finding of this review, if a comment of the change suppresses it."""


@dataclass(frozen=True)
class Carrying:
    """All of them; empty for the first review of a change."""

    entries: tuple[Entry, ...] = ()


def is_carried_over(candidate: Candidate) -> bool:
    """Check whether a candidate is carried over from the earlier review and not repeated in this one."""
    return candidate.carried is not None and not candidate.carried.is_repeated


def decide(entry: Entry, known: Mapping[str, Candidate]) -> FindingDecision:
    """Decide what became of one finding, by the candidates of the finished report."""
    earlier, finding = entry.earlier, entry.earlier.candidate.finding
    now = _survivor(entry.now, known)
    fate, by, reason = entry.settled or _fate(entry, known.get(entry.now or ""), now)
    is_open = fate not in ("fixed", "dismissed")
    first = earlier.candidate
    return FindingDecision(
        key=earlier.key,
        earlier=first.id,
        fingerprint=first.fingerprint,
        title=finding.title if finding else "",
        severity=finding.severity if finding else Severity.INFO,
        file=finding.file if finding else "",
        line=finding.line if finding else 0,
        specialist=first.specialist,
        fate=fate,
        by=by,
        reason=reason,
        now=now.id if now and fate != "fixed" else None,
        code_changed=entry.trace.outcome in ("changed", "gone") or (fate == "fixed" and entry.is_rewritten),
        times=earlier.times + is_open,
    )


def decided_again(then: Sequence[FindingDecision], now: Sequence[FindingDecision]) -> list[FindingDecision]:
    """Merge the decisions of two reviews of the same head."""
    since = {one.earlier: one for one in now}
    decisions: list[FindingDecision] = []
    for one in then:
        again = since.get(one.now or "")
        if again is None:
            decisions.append(one)
        elif again.fate == "still_open":
            decisions.append(one.model_copy(update={"now": again.now, "times": again.times}))
        else:
            kept = {name: getattr(again, name) for name in ("fate", "by", "reason", "now", "times")}
            decisions.append(one.model_copy(update=kept))
    return decisions


def _survivor(name: str | None, known: Mapping[str, Candidate]) -> Candidate | None:
    """Return the candidate, or the one that it duplicates."""
    seen: set[str] = set()
    while name is not None and name in known and name not in seen:
        seen.add(name)
        one = known[name]
        if not one.duplicate_of:
            return one
        name = one.duplicate_of
    return None


def _fate(entry: Entry, own: Candidate | None, now: Candidate | None) -> tuple[Fate, DecidedBy, str]:
    if own is None or now is None:
        return "cannot_tell", "evidence", entry.trace.detail
    by, reason = _decided_by(own, now)
    if now.carried and now.carried.is_first_judged and now.status is Status.FALSE_POSITIVE:
        return "cannot_tell", by, f"its code is unchanged, and the claim is refuted: {reason}"
    if now.status is Status.FALSE_POSITIVE or (now.withheld and now.withheld.code is Reason.FIXED):
        return "fixed", by, now.withheld.detail if now.withheld else reason
    if now.withheld and now.withheld.code is Reason.DISMISSED:
        return "dismissed", "people", now.withheld.detail
    is_unsure = is_carried_over(now) and now.status is Status.UNVERIFIED
    if is_unsure and entry.trace.outcome == "changed":
        return "cannot_tell", "evidence", reason
    if now.kind == "mechanical" and is_carried_over(now) and now.status is Status.UNVERIFIED:
        return "cannot_tell", "analyser", reason
    is_partly = entry.some_fixed or (
        entry.trace.outcome == "changed" and by == "verifier" and _is_milder(entry, now)
    )
    return ("partly_fixed" if is_partly else "still_open"), by, reason


def _decided_by(own: Candidate, now: Candidate) -> tuple[DecidedBy, str]:
    check = now.reproduction
    if check is not None and (check.is_shown_by_running or check.outcome == "not_reproduced"):
        return "reproduction", check.detail or check.outcome.replace("_", " ")
    if own.kind == "mechanical":
        # Another analyser may report what its own did not check.
        return "analyser", _analyser_says(now if now.is_proven_by_machine else own)
    said = [one for one in now.judgements if one.by in ("verifier", "ruling") and one.answer]
    if said:
        return "verifier", said[-1].reason
    stood = next((one for one in now.judgements if one.by == "earlier" and one.answer), None)
    if stood is not None:
        return "evidence", stood.reason
    if not is_carried_over(now):
        return "repetition", f"{now.specialist} reports it again"
    return "evidence", now.judgements[-1].reason if now.judgements else ""


def _analyser_says(own: Candidate) -> str:
    if is_carried_over(own) or own.finding is None:
        return own.judgements[-1].reason if own.judgements else ""
    return f"{own.specialist} reports it at {own.finding.file}:{own.finding.line}"


def _is_milder(entry: Entry, now: Candidate) -> bool:
    then = entry.earlier.candidate
    if then.finding is None or now.finding is None:
        return False
    is_less_sure = then.status is Status.VERIFIED and now.status is Status.LIKELY
    return now.finding.severity.rank > then.finding.severity.rank or is_less_sure


def all_names(one: EarlierFinding) -> frozenset[str]:
    return fingerprints_of(one) | {place.fingerprint for place in one.places}


def place_entries(one: EarlierFinding, earlier: Earlier, case: Case) -> tuple[Entry, ...]:
    """Return an entry for each other place of an analyser's finding."""
    entries = []
    for place in _places_apart(one):
        if place.finding:
            # Nobody had judged the places that were listed under it from the start.
            worth = place.worth if place.judgements else one.candidate.worth
            judged = place.model_copy(update={"worth": worth})
            alone = EarlierFinding(candidate=judged, key=place.fingerprint)
            entries.append(Entry(alone, trace_code(place, place.finding, earlier, case)))
    return tuple(entries)


def parts_of(entry: Entry) -> tuple[Entry, ...]:
    """Return the leading finding, then each of its places."""
    return (replace(entry, places=()), *entry.places)


def with_partners(
    entries: Sequence[Entry], findings: Sequence[EarlierFinding], named: Sequence[Candidate]
) -> list[Entry]:
    """Add to the entries and their places the same findings of this review."""
    known = [
        each
        for one, entry in zip(findings, entries, strict=True)
        for each in (
            (one.model_copy(update={"places": ()}) if one.candidate.kind == "mechanical" else one),
            *(place.earlier for place in entry.places),
        )
    ]
    parts = [part for entry in entries for part in parts_of(entry)]
    free = [one for one in named if one.withheld is None]
    matched = match_findings(known, [one.trace for one in parts], free)
    return _regrouped(
        entries,
        (
            replace(one, now=matched[at].id, settled=None) if at in matched else one
            for at, one in enumerate(parts)
        ),
    )


def with_suppressed(entries: Sequence[Entry], named: Sequence[Candidate]) -> list[Entry]:
    """Add to the entries and their places the findings that a comment of the change silences."""
    parts = [part for entry in entries for part in parts_of(entry)]
    silenced = [one for one in named if one.withheld and one.withheld.code is Reason.SUPPRESSED]
    alone = [at for at, one in enumerate(parts) if one.now is None]
    found = match_findings([parts[at].earlier for at in alone], [parts[at].trace for at in alone], silenced)
    partners = {alone[at]: one for at, one in found.items()}
    return _regrouped(entries, (replace(one, silenced=partners.get(at)) for at, one in enumerate(parts)))


def as_suppressed(entry: Entry, silenced: Candidate, finding: Finding) -> Entry:
    """Move an entry to the line that a comment silences."""
    said = silenced.withheld.detail if silenced.withheld else ""
    detail = f"a comment that was added after it was reported silences it ({said})"
    trace = Trace("stands", finding.file, *finding.lines, f"{detail}, which settles nothing")
    then = entry.earlier.candidate
    if then.finding and (then.finding.file, then.finding.lines) != (finding.file, finding.lines):
        then = then.model_copy(update={"finding": finding, "quote": silenced.quote})
    return replace(entry, earlier=entry.earlier.model_copy(update={"candidate": then}), trace=trace)


def _regrouped(entries: Sequence[Entry], parts: Iterator[Entry]) -> list[Entry]:
    """Group the parts into entries again."""
    return [replace(next(parts), places=tuple(islice(parts, len(entry.places)))) for entry in list(entries)]


def _places_apart(one: EarlierFinding) -> list[Candidate]:
    """Return the places on lines that no other analyser has reported already."""
    apart = [one.candidate]
    for place in sorted(one.places, key=lambda place: place.specialist != one.candidate.specialist):
        if place.kind == "mechanical" and not any(_is_duplicate(place, other) for other in apart):
            apart.append(place)
    return apart[1:] if one.candidate.kind == "mechanical" else []


def _is_duplicate(place: Candidate, other: Candidate) -> bool:
    if place.finding is None or other.finding is None or place.specialist == other.specialist:
        return False
    there = [(one.file, one.side, one.line) for one in (place.finding, other.finding)]
    return there[0] == there[1]


CONFIRMED = "confirmed in the earlier review, and its code is unchanged"
UNTOUCHED = "judged in the earlier review; neither its code nor the files that name it changed since"


def earlier_judgement(then: Candidate) -> Judgement:
    """Return the judgement of the earlier review, for findings that are not verified again."""
    if then.status not in (Status.VERIFIED, Status.LIKELY):
        return Judgement(by="earlier", outcome="skipped", reason="nobody has verified it yet")
    return Judgement(
        by="earlier",
        answer="CONFIRMED",
        qualified=then.status is Status.LIKELY,
        worth=then.worth,
        severity=then.finding.severity if then.finding else None,
        reason=UNTOUCHED,
    )


def kept_judgement(then: Candidate, trace: Trace) -> Judgement | None:
    """Return the earlier confirmation of a finding that is reported again; None if its code changed."""
    if then.kind == "mechanical" or trace.outcome not in ("stands", "moved"):
        return None
    standing = earlier_judgement(then)
    return standing.model_copy(update={"reason": CONFIRMED}) if standing.answer else None


def open_judgement(then: Candidate, reason: str) -> Judgement:
    """Return the judgement of an analyser's finding that nothing has settled."""
    severity = then.finding.severity if then.finding else None
    return Judgement(by="earlier", answer="CONFIRMED", worth=then.worth, severity=severity, reason=reason)


def is_out_of_sight(then: Candidate, trace: Trace, case: Case) -> bool:
    """Check whether the code is now in a file that the analyser does not read."""
    shown = [one for one in case.replies if one.specialist == then.specialist]
    file = case.change.file_at(trace.path, "head") if trace.is_somewhere else None
    return file is not None and bool(shown) and not any(file.path in one.files for one in shown)


def why_not_read(then: Candidate, finding: Finding, trace: Trace, docket: Docket, case: Case) -> str | None:
    """Say why an analyser did not look; None if it looked and no longer reports the finding."""
    name = then.specialist
    states = {one.specialist: one.state for one in docket.replies}
    runs = [run for run in docket.analyser_runs if run.analyser == name and run.side == "head"]
    unread = {one.path for run in runs for one in run.unread}
    where = trace.path if trace.is_somewhere else finding.file
    if finding.rule_id and case.is_rule_off(finding.rule_id, where):
        return f"the rule {finding.rule_id} is off in this review"
    if name not in states or states[name] == "rejected":
        return f"{name} did not run in this review"
    if any(run.state not in ("completed", "nothing_to_do") for run in runs):
        return f"{name} could not run: {runs[0].state.replace('_', ' ')}"
    if any(gap.name == name for gap in (*docket.incomplete, *docket.not_run)):
        return f"{name} did not complete"
    for path in dict.fromkeys((finding.file, trace.path)):
        if path in unread and case.repository.head.entry(path) is not None:
            return f"{name} did not read {path} in this review"
    if is_out_of_sight(then, trace, case):
        return f"{name} does not read {trace.path}, where its code is now"
    return None


def anchored(name: str, at: int, entry: Entry, finding: Finding, case: Case) -> Candidate | None:
    """Return the finding at the current place of its code; None if nothing can be quoted there."""
    trace, then = entry.trace, entry.earlier.candidate
    lines = case.repository.side(finding.side).redacted_lines(trace.path) or []
    quoted = then.quote.start if then.quote and then.quote.start else finding.line
    shift = trace.start - quoted if trace.outcome in ("stands", "moved") else trace.start - finding.line
    line = min(max(finding.line + shift, trace.start), max(trace.end, trace.start))
    length = finding.lines[1] - finding.lines[0]
    end = min(line + length, trace.end) if finding.end_line else None
    proof = finding.verification
    moved = finding.model_copy(
        update={
            "file": trace.path,
            "line": line,
            "end_line": end,
            "verification": proof.model_copy(
                update={
                    "code_examined": "\n".join(lines[trace.start - 1 : trace.end]),
                    "line_range_examined": (trace.start, trace.end),
                }
            )
            if proof
            else None,
        }
    )
    quote, anchored = check_quote(moved, case.repository)
    if quote.outcome == "not_found":
        return None
    searches = tuple(run_search(one, case.repository) for one in proof.searches) if proof else ()
    carried = Candidate(
        id=name,
        specialist=then.specialist,
        kind=then.kind,
        index=at,
        finding=anchored,
        fingerprint=then.fingerprint,
        quote=quote,
        searches=searches,
        agreed_by=then.agreed_by,
        said_by=then.said_by,
        # An analyser's finding is dismissed under its own name only, whatever represented it before.
        carries=then.carries
        if then.kind == "mechanical"
        else tuple(sorted(fingerprints_of(entry.earlier) - {entry.earlier.candidate.fingerprint})),
        claimed_severity=then.claimed_severity,
    )
    looked_up = case.dependencies.check(carried) if case.dependencies else ()
    return carried.model_copy(update={"dependency_quotes": looked_up or then.dependency_quotes})
