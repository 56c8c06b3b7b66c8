"""Write in words how a finding was proven, and which other findings it covers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten

from affidavit.records.candidate import Candidate, Judgement
from affidavit.records.evidence import QuoteCheck, SearchRun
from affidavit.records.finding import Severity
from affidavit.records.report import Report
from affidavit.render.programs import decided_by, outcome_words
from affidavit.render.wording import SIDES, agreeing, counted, finder_name, listed, place_of, title_of

MAX_QUOTES = 2
MAX_REASON_LENGTH = 120

ONLY_READ = "only read, not run"
BY_VERIFIER = "shown by a program that the verifier ran"
NEW = "new with this change"
UNANSWERED = {
    "cut_off": "the verifier's answer was cut off",
    "failed": "the verifier failed",
    "refused": "the verifier refused to answer",
    "skipped": "the verifier was not asked",
}
OWN_ANALYSERS = frozenset({"references"})
"""Specialists that compare both sides themselves, without an outside program."""

QUOTES = {
    "exact": "quote found in the commit",
    "relocated": "quote found elsewhere in the file",
    "ambiguous": "quote found several times in the file",
    "not_found": "quote not found in the commit",
    "not_quoted": "no quote",
}


def proof_line(candidate: Candidate, report: Report) -> list[str]:
    said = [how_shown(candidate), _quote(candidate.quote), *_finder(candidate)]
    said += [one.summary for one in candidate.dependency_quotes[:MAX_QUOTES]]
    if candidate.searches:
        times = counted(len(candidate.searches), "search", "searches")
        said.append(f"{times} run again{whose(candidate, 'searches')}")
    said += _judged(candidate)
    if candidate.patch_trial:
        tried = "tried in part" if candidate.patch_trial.untried else "tried"
        holds = f"patch {tried}, holds" if candidate.patch_trial.holds else "patch tried, fails"
        said.append(holds + whose(candidate, "patch"))
    said += [f"claimed as {candidate.claimed_severity}"] if candidate.claimed_severity else []
    others = agreeing(candidate)
    said += [f"also found by {listed(others)}"] if others else []
    said += [f"commented on before by {listed(candidate.said_by)}"] if candidate.said_by else []
    why_not = why_not_blocking(candidate, report)
    return [*said, *([f"does not block: {why_not}"] if why_not else [])]


def how_shown(candidate: Candidate) -> str:
    check = candidate.reproduction
    if check and check.is_shown_by_running:
        return outcome_words(check) + whose(candidate, "reproduction")
    if candidate.kind == "mechanical":
        return _proven(candidate)
    if any(one.run and one.answer == "CONFIRMED" for one in candidate.judgements):
        return BY_VERIFIER
    return f"only read; {outcome_words(check)}" if check else ONLY_READ


def whose(candidate: Candidate, kind: str) -> str:
    """Name the specialist in whose words a duplicate brought this proof; empty if it is the finding's own."""
    member = candidate.lender(kind)
    return f", by {finder_name(member.rpartition('-')[0])}" if member else ""


def _proven(candidate: Candidate) -> str:
    """Return which rule of which analyser proves it, and whether it is new."""
    rule = candidate.finding.rule_id if candidate.finding else None
    how = "comparing both sides" if candidate.specialist in OWN_ANALYSERS else "an analyser"
    named = (rule or candidate.specialist).replace("/", " ", 1)
    when = NEW if candidate.is_proven_by_machine else "in an earlier review"
    return f"proven by {how} ({named}), {when}"


def why_not_blocking(candidate: Candidate, report: Report) -> str:
    """Return why a finding severe enough for the gate does not block; empty if it does, or is milder."""
    finding, limit = candidate.finding, report.gate.fail_on
    if finding is None or limit is None or finding.severity.rank > limit.rank:
        return ""
    return candidate.why_not_counted


def gate_note(candidate: Candidate, report: Report) -> list[str]:
    """Return whether a finding blocks, in brackets, for findings in one line."""
    words = ["blocks"] if candidate.id in report.gate.failed_by else []
    why_not = why_not_blocking(candidate, report)
    words += [f"does not block: {why_not}"] if why_not else []
    return [f"({', '.join(words)})"] if words else []


def _finder(candidate: Candidate) -> list[str]:
    name = finder_name(candidate.specialist)
    return {"mechanical": [], "model": [f"found by a model ({name})"], "outside": [f"reported by {name}"]}[
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
    roles = {one.role for one in asked}
    confirming = {one.role for one in asked if one.answer == "CONFIRMED"}
    if len(roles) == 1:
        return "verifier confirmed"
    return "both verifiers confirmed" if len(confirming) > 1 else "one of two verifiers confirmed"


def _in_short(text: str) -> str:
    return shorten(text, MAX_REASON_LENGTH, placeholder=" …")


MAX_LINES = 12
MAX_PLACES = 12
MAX_IN_SHORT = 5
MAX_ACCOUNTS = 10


def duplicates_by_leader(candidates: Iterable[Candidate]) -> dict[str, list[Candidate]]:
    """Return the duplicates of each finding, by its id, in the order of files and lines."""
    found: dict[str, list[Candidate]] = {}
    for one in sorted(candidates, key=_by_place):
        if one.duplicate_of:
            found.setdefault(one.duplicate_of, []).append(one)
    return found


def duplicates_of(candidate: Candidate, report: Report) -> list[Candidate]:
    return duplicates_by_leader(report.candidates).get(candidate.id, [])


def _by_place(candidate: Candidate) -> tuple[str, int, str]:
    finding = candidate.finding
    return (finding.file, finding.line, candidate.id) if finding else ("", 0, candidate.id)


@dataclass(frozen=True)
class Under:
    lines: Sequence[Candidate] = ()
    places: Sequence[Candidate] = ()
    accounts: Sequence[Candidate] = ()


def under_of(candidate: Candidate, duplicates: Sequence[Candidate]) -> Under:
    lines = [one for one in duplicates if _is_line(one, candidate)]
    others = [one for one in duplicates if not _is_line(one, candidate)]
    places = places_elsewhere(candidate, others)
    taken = {one.id for one in places}
    return Under(lines, places, [one for one in others if one.id not in taken])


def said_under(candidate: Candidate, report: Report) -> list[tuple[str, str]]:
    return under_words(under_of(candidate, duplicates_of(candidate, report)))


def under_words(under: Under) -> list[tuple[str, str]]:
    said = [("also at", _lines(under.lines))] if under.lines else []
    said += _listed("also at", [_quoted(one) for one in under.places], MAX_PLACES, "more place")
    accounts = [_account(one) for one in under.accounts]
    return said + _listed("also found", accounts, MAX_ACCOUNTS, "more account")


def places_in_short(under: Under) -> str:
    named = list(dict.fromkeys(map(place_of, [*under.lines, *under.places])))
    more = [f"{len(named) - MAX_IN_SHORT} more"] if len(named) > MAX_IN_SHORT else []
    return f"also at {listed([*named[:MAX_IN_SHORT], *more])}" if named else ""


def places_elsewhere(leader: Candidate, under: Sequence[Candidate]) -> list[Candidate]:
    """Return the other places where analysers proved the same problem, the worst first."""
    found: dict[str, Candidate] = {}
    if not leader.is_open_by_machine:
        return []
    for one in sorted(under, key=lambda one: one.specialist != leader.specialist):
        if one.finding and one.is_open_by_machine and place_of(one) != place_of(leader):
            found.setdefault(place_of(one), one)
    return sorted(found.values(), key=lambda one: (_rank(one), _by_place(one)))


def _rank(candidate: Candidate) -> int:
    return candidate.finding.severity.rank if candidate.finding else len(Severity)


def _listed(label: str, texts: Sequence[str], most: int, rest: str) -> list[tuple[str, str]]:
    distinct = list(dict.fromkeys(texts))
    more = [counted(len(distinct) - most, rest)] if len(distinct) > most else []
    return [(label, text) for text in (*distinct[:most], *more)]


def why_withheld(candidate: Candidate, known: Mapping[str, Candidate]) -> str:
    """Return the detail of the reason; for a duplicate, the finding that it duplicates."""
    withheld = candidate.withheld
    if withheld is None:
        return ""
    stands = leader_of(candidate, known)
    if stands is None:
        return f"{withheld.detail} (shown by a program)" if decided_by(candidate) else withheld.detail
    name = f" ({stands.fingerprint})" if stands.fingerprint else ""
    return f"{place_of(stands)} {title_of(stands)}{name}"


def leader_of(candidate: Candidate, known: Mapping[str, Candidate]) -> Candidate | None:
    return known.get(candidate.duplicate_of)


def _account(candidate: Candidate) -> str:
    return f"{finder_name(candidate.specialist)}, {place_of(candidate)}: {account_words(candidate)}"


def account_words(candidate: Candidate) -> str:
    """Return the title of a joined finding, marked if it was not verified separately."""
    is_judged = candidate.is_proven_by_machine or bool(candidate.judgements)
    return title_of(candidate) + ("" if is_judged else " (not verified separately)")


def _quoted(place: Candidate) -> str:
    code = code_at(place)
    return f"{place_of(place)}: {f'`{code}`' if code and '`' not in code else code or title_of(place)}"


def code_at(place: Candidate) -> str:
    finding, quote = place.finding, place.quote
    lines = quote.code.split("\n") if quote and quote.start is not None else []
    at = finding.line - quote.start if finding and quote and quote.start is not None else -1
    return " ".join(lines[at].split()) if 0 <= at < len(lines) else ""


def _is_line(one: Candidate, leader: Candidate) -> bool:
    # Two findings of a model have no rule in common: each has its own statement.
    if one.finding is None or leader.finding is None or leader.finding.rule_id is None:
        return False
    is_alike = one.specialist == leader.specialist and all(
        getattr(one.finding, name) == getattr(leader.finding, name) for name in ("rule_id", "file", "title")
    )
    return is_alike and one.finding.line != leader.finding.line


def _lines(places: Sequence[Candidate]) -> str:
    numbers = sorted({one.finding.line for one in places if one.finding})
    named = [str(number) for number in numbers[:MAX_LINES]]
    more = [f"{len(numbers) - MAX_LINES} more"] if len(numbers) > MAX_LINES else []
    return f"{'line' if len(numbers) == 1 else 'lines'} {listed([*named, *more])}"


def patch_text(candidate: Candidate) -> str:
    evidence = candidate.finding.verification if candidate.finding else None
    return (evidence.patch or "").rstrip("\n") if evidence else ""


def patch_words(candidate: Candidate) -> str:
    """Return whether the patch was tried and passed."""
    trial = candidate.patch_trial
    if trial is None:
        return "Patch (not tried)"
    if trial.holds and trial.untried:
        return f"Patch (tried, passed; not tried: {', '.join(trial.untried)})"
    if trial.holds:
        return "Patch (tried, passed)"
    return "Patch (tried, failed)"


def trial_lines(candidate: Candidate) -> list[str]:
    marks = {True: "passed", False: "failed", None: "not tried"}
    steps = candidate.patch_trial.steps if candidate.patch_trial else ()
    return [
        f"{marks[step.passed]}: {step.name}" + (f": {step.detail}" if step.detail else "") for step in steps
    ]


def proof_steps(candidate: Candidate) -> list[str]:
    said = [_origin(candidate), quote_words(candidate.quote)]
    said += [one.summary for one in candidate.dependency_quotes]
    said += [_search_proof(run) for run in candidate.searches]
    if others := agreeing(candidate):
        said.append(f"agreed by {listed(others)}")
    if candidate.said_by:
        said.append(f"commented on before the review by {listed(candidate.said_by)}")
    # The origin already has what an analyser says of its own finding.
    heard = [judgement for judgement in candidate.judgements if judgement.by == "verifier"]
    said += map(_judgement, heard)
    if candidate.claimed_severity and candidate.finding:
        said.append(
            f"claimed as {candidate.claimed_severity}; the verifier says {candidate.finding.severity}"
        )
    return [part for part in said if part]


def first_wording(candidate: Candidate) -> str:
    """Return the original title and message if the reporter shortened them; else empty."""
    first = candidate.first_wording
    return f"{first.title.strip()}\n{first.message.strip()}" if first else ""


def _origin(candidate: Candidate) -> str:
    evidence = candidate.finding.verification if candidate.finding else None
    method = " ".join(evidence.verification_method.split()).rstrip(".") if evidence else ""
    if not method:
        return f"found by {finder_name(candidate.specialist)}, with no method named"
    finder = finder_name(candidate.specialist)
    return method if candidate.specialist in method else f"found by {finder}: {method}"


def quote_words(quote: QuoteCheck | None) -> str:
    if quote is None or quote.outcome == "not_quoted":
        return "no quote to check"
    if quote.outcome == "not_found":
        return f"quote not found in {quote.file}"
    span = f"{quote.start}-{quote.end}" if quote.end and quote.end != quote.start else str(quote.start)
    place = f"{quote.file}:{span}" + (f" {SIDES['base']}" if quote.side == "base" else "")
    return {
        "exact": f"quote found in the commit, at {place}",
        "relocated": f"quote found at {place}, not where it was claimed",
        "ambiguous": f"quote found several times, the nearest at {place}",
    }[quote.outcome]


def _search_proof(run: SearchRun) -> str:
    where = f" in {listed(run.search.paths)}" if run.search.paths else ""
    outcome = {
        "nothing_found": "nothing found",
        "hits": counted(len(run.hits), "hit"),
        "failed": f"failed ({run.detail})" if run.detail else "failed",
    }[run.state]
    return f"searched for `{run.search.pattern}`{where}: {outcome}"


def _judgement(judgement: Judgement) -> str:
    said = judgement_words(judgement)
    return f"{said}: {judgement.reason}" if judgement.reason else said


def judgement_words(judgement: Judgement) -> str:
    """Return who judged the finding and how, without the reason."""
    if judgement.by == "earlier" and judgement.answer:
        return "carried over from the previous review"
    who = {"verifier": judgement.model or "the verifier", "ruling": "all together"}.get(
        judgement.by, "the machine"
    )
    who += ", the second verifier" * (judgement.by == "verifier" and judgement.role == "second_verifier")
    if judgement.outcome != "answered":
        return f"{who} gave no answer ({judgement.outcome.replace('_', ' ')})"
    if judgement.answer is None:
        return f"{who} judged its worth"
    word = "confirmed" if judgement.answer == "CONFIRMED" else "refuted"
    return f"{word} by {who}" + (", with a reservation" if judgement.qualified else "")
