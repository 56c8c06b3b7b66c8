"""Why a finding is believed, in one line: a candidate and its report in, a few words each out."""

from collections.abc import Sequence
from textwrap import shorten

from affidavit.records.candidate import Candidate, Judgement
from affidavit.records.evidence import QuoteCheck
from affidavit.records.report import Report
from affidavit.render.report.proof.programs import outcome_words
from affidavit.render.report.wording import agreeing, counted, finder_name, listed

MAX_QUOTES = 2
"""Quotes of packages inside the line; all of them are in the details."""
MAX_REASON_LENGTH = 120
"""Of somebody's sentence inside the line; the whole is in the details."""

ONLY_READ = "only read, not run"
BY_VERIFIER = "shown by a program that the verifier ran"
NEW = "new with this change"
UNANSWERED = {
    "cut_off": "the verifier's answer was cut off",
    "failed": "the verifier failed",
    "refused": "the verifier refused to answer",
    "skipped": "the verifier was not asked",
}
OWN_ANALYSERS = frozenset({"code", "references", "tests"})
"""Mechanical specialists that are no outside program: they compare both sides themselves."""

QUOTES = {
    "exact": "quote found in the commit",
    "relocated": "quote found elsewhere in the file",
    "ambiguous": "quote found several times in the file",
    "not_found": "quote not found in the commit",
    "not_quoted": "no quote",
}


def proof_line(candidate: Candidate, report: Report) -> list[str]:
    """How it was shown, who found it, how that was checked, and why something grave does not block."""
    said = [how_shown(candidate), _quote(candidate.quote), *_finder(candidate)]
    said += [one.summary for one in candidate.dependency_quotes[:MAX_QUOTES]]
    if candidate.searches:
        said.append(f"{counted(len(candidate.searches), 'search', 'searches')} run again")
    said += _judged(candidate)
    if candidate.patch_trial:
        tried = "tried in part" if candidate.patch_trial.untried else "tried"
        said.append(f"patch {tried}, holds" if candidate.patch_trial.holds else "patch tried, fails")
    said += [f"its finder called it {candidate.claimed_severity}"] if candidate.claimed_severity else []
    others = agreeing(candidate)
    said += [f"also found by {listed(others)}"] if others else []
    said += [f"commented on before by {listed(candidate.said_by)}"] if candidate.said_by else []
    why_not = why_not_blocking(candidate, report)
    return [*said, *([f"does not block: {why_not}"] if why_not else [])]


def how_shown(candidate: Candidate) -> str:
    """Whether it was shown by running a program, proven by an analyser, or only read."""
    check = candidate.reproduction
    if check and check.is_shown_by_running:
        return outcome_words(check)
    if candidate.kind == "mechanical":
        return _proven(candidate)
    if any(one.run and one.answer == "CONFIRMED" for one in candidate.judgements):
        return BY_VERIFIER
    return f"only read; {outcome_words(check)}" if check else ONLY_READ


def _proven(candidate: Candidate) -> str:
    """By which rule of which analyser; one of an earlier review that nobody reports now is not new."""
    rule = candidate.finding.rule_id if candidate.finding else None
    how = "comparing both sides" if candidate.specialist in OWN_ANALYSERS else "an analyser"
    named = (rule or candidate.specialist).replace("/", " ", 1)
    when = NEW if candidate.is_proven_by_machine else "in an earlier review"
    return f"proven by {how} ({named}), {when}"


def why_not_blocking(candidate: Candidate, report: Report) -> str:
    """Why a finding of severity high or critical does not block; empty where it blocks, or is milder."""
    finding = candidate.finding
    if finding is None or not finding.severity.is_grave or candidate.id in report.verdict.blocking:
        return ""
    return candidate.why_not_counted


def standing_in_brackets(candidate: Candidate, report: Report) -> list[str]:
    """What must be known of a finding that is said in one line: whether it blocks."""
    words = ["fails the gate"] if candidate.id in report.gate.failed_by else []
    why_not = why_not_blocking(candidate, report)
    words += [f"does not block: {why_not}"] if why_not else []
    return [f"({', '.join(words)})"] if words else []


def _finder(candidate: Candidate) -> list[str]:
    """What has no analyser to be named with its proof."""
    name = finder_name(candidate.specialist)
    return {"mechanical": [], "model": [f"found by a model ({name})"], "outside": [f"handed in by {name}"]}[
        candidate.kind
    ]


def _quote(quote: QuoteCheck | None) -> str:
    return QUOTES[quote.outcome] if quote else QUOTES["not_quoted"]


def _judged(candidate: Candidate) -> list[str]:
    asked = [one for one in candidate.judgements if one.by == "verifier"]
    if candidate.is_proven_by_machine or not asked:
        return []
    counting = candidate.judgements[-1]
    if counting.answer == "CONFIRMED":
        return [_who_confirmed(asked) + (" with a reservation" if counting.qualified else "")]
    if counting.answer == "REFUTED":
        return ["verifier refuted it"]
    return [f"not verified: {_in_short(counting.reason or UNANSWERED.get(counting.outcome, 'no answer'))}"]


def _who_confirmed(asked: Sequence[Judgement]) -> str:
    """One verifier, or which of two; several votes of one are one voice."""
    roles = {one.role for one in asked}
    confirming = {one.role for one in asked if one.answer == "CONFIRMED"}
    if len(roles) == 1:
        return "verifier confirmed"
    return "both verifiers confirmed" if len(confirming) > 1 else "one of two verifiers confirmed"


def _in_short(text: str) -> str:
    return shorten(text, MAX_REASON_LENGTH, placeholder=" …")
