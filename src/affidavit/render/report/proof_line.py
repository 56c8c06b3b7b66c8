"""Why a finding is believed, in one line: a candidate and its report in, a few words each out."""

from collections.abc import Sequence
from textwrap import shorten

from affidavit.records.candidate import Candidate, Judgement, Status, Worth
from affidavit.records.evidence import QuoteCheck
from affidavit.records.finding import Category
from affidavit.records.report import Report
from affidavit.render.report.programs import reproduced_words
from affidavit.render.report.wording import agreeing, counted, finder_name, listed

MAX_REASON_LENGTH = 120
"""Of somebody's sentence inside the line; the whole is in the details."""

_QUOTES = {
    "exact": "quote checked",
    "relocated": "quote found elsewhere in the file",
    "ambiguous": "quote found several times",
    "not_found": "quote not found",
    "not_quoted": "no quote",
}


def proof_line(candidate: Candidate, report: Report) -> list[str]:
    """Who found it, how it was checked, and why something grave does not block."""
    said = [*reproduced_words(candidate), _quote(candidate.quote), _finder(candidate)]
    if candidate.searches:
        said.append(f"{counted(len(candidate.searches), 'search', 'searches')} run")
    said += _judged(candidate)
    if candidate.patch_trial:
        said.append(f"patch tried, {'holds' if candidate.patch_trial.holds else 'fails'}")
    said += [f"claimed as {candidate.claimed_severity}"] if candidate.claimed_severity else []
    others = agreeing(candidate)
    said += [f"also found by {listed(others)}"] if others else []
    said += [f"commented on before by {listed(candidate.said_by)}"] if candidate.said_by else []
    why_not = why_not_blocking(candidate, report)
    return [*said, *([f"does not block: {why_not}"] if why_not else [])]


def why_not_blocking(candidate: Candidate, report: Report) -> str:
    """Why a finding of severity high or critical does not block; empty where it blocks, or is milder."""
    finding = candidate.finding
    if finding is None or not finding.severity.is_grave or candidate.id in report.verdict.blocking:
        return ""
    if finding.category is Category.STYLE:
        return "it is about style"
    if candidate.status is Status.UNVERIFIED:
        return "nobody verified it"
    if candidate.status is Status.LIKELY:
        return "the verifier has a reservation"
    return "perhaps not worth acting on" if candidate.worth is not Worth.ACT else ""


def standing_in_brackets(candidate: Candidate, report: Report) -> list[str]:
    """What must be known of a finding that is said in one line: a doubt, whether it blocks."""
    words = ["doubted by the verifier"] if candidate.doubt else []
    words += ["fails the gate"] if candidate.id in report.gate.failed_by else []
    why_not = why_not_blocking(candidate, report)
    words += [f"does not block: {why_not}"] if why_not else []
    return [f"({', '.join(words)})"] if words else []


def _finder(candidate: Candidate) -> str:
    rule = candidate.finding.rule_id if candidate.finding else None
    if candidate.is_proven_by_machine and rule:
        return f"{rule.replace('/', ' ', 1)} at head, not at base"
    return f"found by {finder_name(candidate.specialist)}"


def _quote(quote: QuoteCheck | None) -> str:
    return _QUOTES[quote.outcome] if quote else _QUOTES["not_quoted"]


def _judged(candidate: Candidate) -> list[str]:
    if candidate.doubt:
        return [f"doubted by the verifier: {_in_short(candidate.doubt)}"]
    asked = [one for one in candidate.judgements if one.by == "verifier"]
    if candidate.is_proven_by_machine or not asked:
        return []
    counting = candidate.judgements[-1]
    if counting.answer == "CONFIRMED":
        return [_who_confirmed(asked) + (" with a reservation" if counting.qualified else "")]
    if counting.answer == "REFUTED":
        return ["verifier refuted it"]
    return [f"not verified: {_in_short(counting.reason or counting.outcome.replace('_', ' '))}"]


def _who_confirmed(asked: Sequence[Judgement]) -> str:
    """One verifier, or which of two; several votes of one are one voice."""
    roles = {one.role for one in asked}
    confirming = {one.role for one in asked if one.answer == "CONFIRMED"}
    if len(roles) == 1:
        return "verifier confirmed"
    return "both verifiers confirmed" if len(confirming) > 1 else "one of two verifiers confirmed"


def _in_short(text: str) -> str:
    return shorten(text, MAX_REASON_LENGTH, placeholder=" …")
