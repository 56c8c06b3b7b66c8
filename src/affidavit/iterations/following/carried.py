"""An earlier finding as a candidate of this review: where its code is now, and what still counts of it."""

from affidavit.iterations.following.fates import Entry
from affidavit.iterations.following.matching import fingerprints_of
from affidavit.iterations.following.trace import Trace
from affidavit.ports import Case
from affidavit.proof.quoting.quote_check import check_quote
from affidavit.proof.quoting.searches import run_search
from affidavit.records.candidate import Candidate, Judgement, Status
from affidavit.records.docket import Docket
from affidavit.records.finding import Finding
from affidavit.records.iteration import EarlierFinding

CONFIRMED = "confirmed in the review before, and its code stands as it stood"
UNTOUCHED = "judged in the review before; neither its code nor what names it was touched since"


def standing_judgement(then: Candidate) -> Judgement:
    """What the earlier review came to, as the judgement of this one where nobody is asked again."""
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
    """What counts of a finding that is reported again, where nobody answers: that it was confirmed before.

    None where nobody had confirmed it, or its code is not what it was.
    """
    if then.kind == "mechanical" or trace.outcome not in ("stands", "moved"):
        return None
    standing = standing_judgement(then)
    return standing.model_copy(update={"reason": CONFIRMED}) if standing.answer else None


def open_judgement(then: Candidate, reason: str) -> Judgement:
    """What an analyser proved and nothing has settled since: it counts as it did."""
    severity = then.finding.severity if then.finding else None
    return Judgement(by="earlier", answer="CONFIRMED", worth=then.worth, severity=severity, reason=reason)


def is_out_of_sight(then: Candidate, trace: Trace, case: Case) -> bool:
    """Its code stands in a file of the change that its analyser does not look at."""
    shown = [one for one in case.replies if one.specialist == then.specialist]
    file = case.change.file_at(trace.path, "head") if trace.is_somewhere else None
    return file is not None and bool(shown) and not any(file.path in one.files for one in shown)


def why_silent(then: Candidate, finding: Finding, trace: Trace, docket: Docket, case: Case) -> str | None:
    """Why an analyser's silence says nothing; None: it has looked, and does not report it any more."""
    name = then.specialist
    states = {one.specialist: one.state for one in docket.replies}
    runs = [run for run in docket.analyser_runs if run.analyser == name and run.side == "head"]
    unread = {one.path for run in runs for one in run.unread}
    where = trace.path if trace.is_somewhere else finding.file
    if finding.rule_id and case.is_rule_off(finding.rule_id, where):
        return f"the rule {finding.rule_id} is off in this review"
    if name not in states or states[name] == "rejected":
        return f"{name} did not look in this review"
    if any(run.state not in ("completed", "nothing_to_do") for run in runs):
        return f"{name} could not look: {runs[0].state.replace('_', ' ')}"
    if any(gap.name == name for gap in (*docket.incomplete, *docket.not_run)):
        return f"{name} did not complete its look"
    for path in dict.fromkeys((finding.file, trace.path)):
        if path in unread and case.repository.head.entry(path) is not None:
            return f"{name} did not read {path} in this review"
    if is_out_of_sight(then, trace, case):
        return f"{name} does not read {trace.path}, where its code is now"
    return None


def anchored(name: str, at: int, entry: Entry, finding: Finding, case: Case) -> Candidate | None:
    """The finding where its code is now, under this id; None where nothing can be quoted there."""
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
        # What an analyser proved is dismissed under its own name only, whatever stood for it before.
        carries=then.carries if then.kind == "mechanical" else _other_names(entry.earlier),
        claimed_severity=then.claimed_severity,
    )
    looked_up = case.dependencies.check(carried) if case.dependencies else ()
    return carried.model_copy(update={"dependency_quotes": looked_up or then.dependency_quotes})


def _other_names(one: EarlierFinding) -> tuple[str, ...]:
    return tuple(sorted(fingerprints_of(one) - {one.candidate.fingerprint}))
