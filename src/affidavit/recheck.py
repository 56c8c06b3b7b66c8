"""Prove a native report again: every quote, search and analyser result, and the verdict drawn from them."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

from affidavit.events import ignore_events
from affidavit.ports import Brief, Repository
from affidavit.records.candidate import Candidate, Status
from affidavit.records.diagnostics import Code
from affidavit.records.evidence import QuoteCheck
from affidavit.records.finding import Finding, Search
from affidavit.records.record import Record
from affidavit.records.report import Report
from affidavit.stages.evidence import check_quote, quote_still_stands, run_search
from affidavit.stages.report import Proceedings, decide_gate, decide_verdict

CHOICES = frozenset({Code.NIT, Code.BELOW_THRESHOLD, Code.OUT_OF_FOCUS, Code.STYLE_OFF, Code.DISMISSED})
"""Reasons that hide a proven finding; its proof is checked all the same."""

Kind = Literal["quote", "search", "analyser", "judgement", "verdict"]


class Proof(Record):
    """One proof of a report, checked again. `holds` is None where it cannot be checked here."""

    finding: str
    title: str
    kind: Kind
    holds: bool | None
    detail: str


Reprove = Callable[[Sequence[Finding], Brief], Awaitable[dict[str, tuple[bool | None, str]]]]
"""Run the analysers behind mechanical findings again, without any cache: finding id to outcome."""


async def recheck_report(report: Report, repository: Repository, reprove: Reprove) -> list[Proof]:
    """All proofs of a report, in the report's order; the verdict comes last."""
    standing = [candidate for candidate in report.candidates if _is_claimed(candidate)]
    proofs = [proof for candidate in standing for proof in _check_in_tree(candidate, repository)]
    brief = Brief(report.change, repository, ignore_events)
    proofs += await _check_analysers(standing, brief, reprove)
    proofs += [proof for candidate in standing for proof in _check_judgement(candidate, report)]
    order = {candidate.id: position for position, candidate in enumerate(standing)}
    proofs.sort(key=lambda proof: order[proof.finding])
    return [*proofs, _check_verdict(report)]


def _is_claimed(candidate: Candidate) -> bool:
    is_hidden_by_choice = candidate.withheld is not None and candidate.withheld.code in CHOICES
    return candidate.finding is not None and (candidate.withheld is None or is_hidden_by_choice)


def _proof(candidate: Candidate, kind: Kind, holds: bool | None, detail: str) -> Proof:
    title = candidate.finding.title if candidate.finding else ""
    return Proof(finding=candidate.id, title=title, kind=kind, holds=holds, detail=detail)


def _check_in_tree(candidate: Candidate, repository: Repository) -> list[Proof]:
    finding, quote = candidate.finding, candidate.quote
    if finding is None:
        return []
    if quote is None:
        return [_proof(candidate, "quote", False, "the report holds no checked quote for this finding")]
    problem = _quote_problem(finding, quote, repository)
    stands = f"the quoted code stands at {_place(quote)}"
    proofs = [_proof(candidate, "quote", problem is None, problem or stands)]
    return proofs + [_check_search(candidate, search, repository) for search in _declared_searches(finding)]


def _declared_searches(finding: Finding) -> Sequence[Search]:
    proof = finding.verification
    return proof.searches if proof and proof.is_absence_finding else ()


def _quote_problem(finding: Finding, quote: QuoteCheck, repository: Repository) -> str | None:
    """Why the recorded quote does not prove the finding, or None."""
    if not quote_still_stands(quote, repository):
        return f"the quoted code does not stand at {_place(quote)}"
    again, _ = check_quote(finding, repository)
    if again.outcome == "not_found":
        return again.detail
    # Code that stands somewhere proves nothing about a finding that speaks of another place.
    if _place(again) != _place(quote):
        return f"the report quotes {_place(quote)}; what the finding speaks of stands at {_place(again)}"
    return None


def _place(quote: QuoteCheck) -> str:
    return f"{quote.file}:{quote.start}-{quote.end} at {quote.side}"


def _check_search(candidate: Candidate, search: Search, repository: Repository) -> Proof:
    again = run_search(search, repository)
    what = f"search for {search.pattern!r}: {again.state.replace('_', ' ')}"
    recorded = next((run for run in candidate.searches if run.search == search), None)
    if recorded is None:
        return _proof(candidate, "search", False, f"{what}; the report does not say what it found")
    is_same = (again.state, again.hits) == (recorded.state, recorded.hits)
    return _proof(candidate, "search", is_same, what if is_same else f"{what}, recorded as {recorded.state}")


def _check_judgement(candidate: Candidate, report: Report) -> list[Proof]:
    """A judgement cannot be made again without a model, but the report must hold the one it rests on."""
    if candidate.kind == "mechanical" or candidate.status is not Status.VERIFIED:
        return []
    judged = [judgement for judgement in candidate.judgements if judgement.by == "verifier"]
    if report.models and judged and judged[-1].judgment == "CONFIRMED" and not judged[-1].qualified:
        return []
    detail = "it is called verified, but the report holds no verifier's confirmation of it"
    return [_proof(candidate, "judgement", False, detail)]


async def _check_analysers(standing: Sequence[Candidate], brief: Brief, reprove: Reprove) -> list[Proof]:
    proofs = []
    # Ids are unique within one specialist's reply only.
    names = dict.fromkeys(candidate.specialist for candidate in standing if candidate.kind == "mechanical")
    for name in names:
        mine = [candidate for candidate in standing if candidate.specialist == name]
        results = await reprove([candidate.finding for candidate in mine if candidate.finding], brief)
        for candidate in mine:
            missing = (None, f"there is no analyser {name} here")
            holds, detail = results.get(candidate.finding.id if candidate.finding else "", missing)
            proofs.append(_proof(candidate, "analyser", holds, detail))
    return proofs


def _check_verdict(report: Report) -> Proof:
    """Draw the verdict again from the recorded candidates."""
    judged = [
        candidate.model_copy(update={"withheld": None})
        if candidate.withheld and candidate.withheld.code in CHOICES
        else candidate
        for candidate in report.candidates
    ]
    proceedings = Proceedings(
        review_id=report.id,
        candidates=judged,
        incomplete=report.incomplete,
        models=report.models,
    )
    differences = _differences(report, judged, proceedings)
    detail = f"{report.verdict.decision}: drawn again from the candidates"
    if differences:
        detail = "the candidates do not come to what the report says: " + "; ".join(differences)
    return Proof(finding="", title="verdict", kind="verdict", holds=not differences, detail=detail)


def _differences(report: Report, judged: Sequence[Candidate], proceedings: Proceedings) -> list[str]:
    verdict = decide_verdict(judged, report.candidates, proceedings)
    gate = decide_gate(judged, report.gate.fail_on, is_incomplete=bool(report.incomplete))
    drawn = {
        "decision": (report.verdict.decision, verdict.decision),
        "blocking": (sorted(report.verdict.blocking), sorted(verdict.blocking)),
        "counts": (report.verdict.counts, verdict.counts),
        "failed_by": (sorted(report.gate.failed_by), sorted(gate.failed_by)),
        "exit_code": (report.gate.exit_code, gate.exit_code),
    }
    return [f"{name} {_changed(*pair)}" for name, pair in drawn.items() if pair[0] != pair[1]]


def _changed(recorded: object, drawn: object) -> str:
    return "differ" if isinstance(recorded, Record) else f"is {recorded}, drawn again {drawn}"
