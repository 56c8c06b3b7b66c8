"""What supports a feedback item, in the three fields that its document has: test, metric, reference."""

from collections.abc import Callable

from affidavit.iterations.feedback.texts import cut, folded
from affidavit.proof.running.own_names import printed_lines
from affidavit.records.candidate import Candidate
from affidavit.records.finding import Finding

MAX_LINES, MAX_LINE_LENGTH, MAX_TEXT = 8, 60, 1_500


def evidence_of(candidate: Candidate, finding: Finding, clean: Callable[[str], str]) -> dict[str, str]:
    """From the reproduction, the judgement, the quote and the searches; what is not there is left out."""
    said = {
        "test_result": _test_result(candidate),
        "metric": _metric(candidate),
        "reference": _reference(candidate, finding),
    }
    return {name: cut(clean(text), MAX_TEXT) for name, text in said.items() if text}


def _test_result(candidate: Candidate) -> str:
    check = candidate.reproduction
    if check is None:
        return ""
    runs = [*([check.base] if check.base else []), *check.head[:1]]
    lines = [folded(f"{check.outcome.replace('_', ' ')}: {check.detail}".rstrip(": "))]
    for run in runs:
        lines += [f"at {run.side}: {run.summary}", *printed_lines(run.output, MAX_LINES, MAX_LINE_LENGTH)]
    return "\n".join(lines)


def _metric(candidate: Candidate) -> str:
    parts = [f"{candidate.status.replace('_', ' ')}, confidence {candidate.confidence}"]
    parts += [f"agreed by {', '.join(candidate.agreed_by)}"] if candidate.agreed_by else []
    said = [one for one in candidate.judgements if one.by == "verifier" and one.answer]
    parts += [f"verifier: {one.answer}, {folded(one.reason)}" for one in said[-1:]]
    return "; ".join(parts)


def _reference(candidate: Candidate, finding: Finding) -> str:
    parts = [f"rule {finding.rule_id}"] if finding.rule_id else []
    quote = candidate.quote
    if quote and quote.start:
        end = quote.end if quote.end and quote.end != quote.start else None
        place = f"{quote.file}:{quote.start}" + (f"-{end}" if end else "")
        parts.append(f"quoted at {place} ({quote.side}, {quote.outcome})")
    for run in candidate.searches:
        found = f"{len(run.hits)} hits" if run.hits else run.state.replace("_", " ")
        parts.append(f"searched for {run.search.pattern!r}: {found}")
    return "; ".join(parts)
