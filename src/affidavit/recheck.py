"""Prove a native report again: every quote, search and analyser result, and the verdict drawn from them."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

from affidavit.events import ignore_events
from affidavit.ports import Brief, Repository
from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Code
from affidavit.records.finding import Finding
from affidavit.records.record import Record
from affidavit.records.report import Report
from affidavit.stages.evidence import check_quote, quote_still_stands, run_search
from affidavit.stages.report import Proceedings, decide_verdict

CHOICES = frozenset({Code.NIT, Code.BELOW_THRESHOLD, Code.OUT_OF_FOCUS, Code.STYLE_OFF, Code.DISMISSED})
"""Reasons that hide a proven finding; its proof is checked all the same."""

Kind = Literal["quote", "search", "analyser", "verdict"]


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
    found, _ = check_quote(finding, repository)
    where = f"{quote.file}:{quote.start}-{quote.end} at {quote.side}"
    if not quote_still_stands(quote, repository):
        proofs = [_proof(candidate, "quote", False, f"the quoted code does not stand at {where}")]
    elif found.outcome == "not_found":
        proofs = [_proof(candidate, "quote", False, found.detail)]
    else:
        proofs = [_proof(candidate, "quote", True, f"the quoted code stands at {where}")]
    return proofs + [_check_search(candidate, index, repository) for index in range(len(candidate.searches))]


def _check_search(candidate: Candidate, index: int, repository: Repository) -> Proof:
    recorded = candidate.searches[index]
    again = run_search(recorded.search, repository)
    what = f"search for {recorded.search.pattern!r}: {again.state.replace('_', ' ')}"
    is_same = (again.state, again.hits) == (recorded.state, recorded.hits)
    return _proof(candidate, "search", is_same, what if is_same else f"{what}, recorded as {recorded.state}")


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
    again = decide_verdict(judged, report.candidates, proceedings)
    recorded = report.verdict
    is_same = (again.decision, again.counts, set(again.blocking)) == (
        recorded.decision,
        recorded.counts,
        set(recorded.blocking),
    )
    detail = f"{recorded.decision}: drawn again from the candidates"
    if not is_same:
        detail = f"the report says {recorded.decision}; its candidates say {again.decision}, or other counts"
    return Proof(finding="", title="verdict", kind="verdict", holds=is_same, detail=detail)
