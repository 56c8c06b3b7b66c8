"""Check every candidate's proof against the commit: its quote, its searches, the cause of an impact."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from affidavit.ports import Repository
from affidavit.proof.causes import cause_problem
from affidavit.proof.quote_check import check_quote
from affidavit.proof.searches import run_search
from affidavit.records.candidate import Candidate, Status
from affidavit.records.change import Change
from affidavit.records.diagnostics import Diagnostic, Reason
from affidavit.records.evidence import QuoteOutcome
from affidavit.records.finding import Finding

STAGE = "evidence"

OUTCOME_CODES: dict[QuoteOutcome, Reason] = {
    "relocated": Reason.EVIDENCE_RELOCATED,
    "ambiguous": Reason.EVIDENCE_AMBIGUOUS,
    "not_found": Reason.EVIDENCE_NOT_FOUND,
}


@dataclass
class Checked:
    """The candidates with their checked evidence, and what the machine has to say about it."""

    candidates: list[Candidate] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def check_evidence(
    candidates: Sequence[Candidate], change: Change, repository: Repository, *, has_verifier: bool
) -> Checked:
    """Prove quotes and searches; what cannot be proven is withheld with its reason."""
    checked = Checked()
    for candidate in candidates:
        if candidate.finding is None or candidate.withheld:
            checked.candidates.append(candidate)
            continue
        proven, codes = _check_candidate(candidate, candidate.finding, change, repository, has_verifier)
        checked.candidates.append(proven)
        checked.diagnostics += [
            Diagnostic(
                code=code,
                detail=detail,
                specialist=candidate.specialist,
                index=candidate.index,
                id=candidate.finding.id,
            )
            for code, detail in codes
        ]
    return checked


def _check_candidate(
    candidate: Candidate, finding: Finding, change: Change, repository: Repository, has_verifier: bool
) -> tuple[Candidate, list[tuple[Reason, str]]]:
    quote, anchored = check_quote(finding, repository)
    codes = [(OUTCOME_CODES[quote.outcome], quote.detail)] if quote.outcome in OUTCOME_CODES else []
    candidate = candidate.then(STAGE, f"quote {quote.outcome}: {quote.detail}", quote=quote, finding=anchored)
    if quote.outcome == "not_found":
        return _without_evidence(candidate, quote.detail), codes
    problem = cause_problem(anchored, change, repository)
    if problem:
        return _without_evidence(candidate, problem), [*codes, (Reason.EVIDENCE_NOT_FOUND, problem)]
    candidate, absence = _check_absence(candidate, anchored, repository, has_verifier)
    return candidate, [*codes, *absence]


def _without_evidence(candidate: Candidate, detail: str) -> Candidate:
    return candidate.withhold(STAGE, Reason.EVIDENCE_NOT_FOUND, detail, status=Status.FALSE_POSITIVE)


def _check_absence(
    candidate: Candidate, finding: Finding, repository: Repository, has_verifier: bool
) -> tuple[Candidate, list[tuple[Reason, str]]]:
    verification = finding.verification
    if verification is None or not verification.is_absence_finding:
        return candidate, []
    runs = tuple(run_search(search, repository) for search in verification.searches)
    candidate = candidate.then(STAGE, f"{len(runs)} searches run again", searches=runs)
    failed = [run.detail for run in runs if run.state == "failed"]
    if not runs or failed:
        detail = "; ".join(failed) or "it says that something is missing and declares no search"
        withheld = candidate.withhold(STAGE, Reason.ABSENCE_NOT_SEARCHED, detail)
        return withheld, [(Reason.ABSENCE_NOT_SEARCHED, detail)]
    hits = [f"{hit.path}:{hit.line}" for run in runs for hit in run.hits]
    # With a verifier, the hits are handed to it together with the claim.
    if not hits or has_verifier:
        return candidate, []
    detail = "what is said to be missing was found at " + ", ".join(hits[:3])
    withheld = candidate.withhold(STAGE, Reason.ABSENCE_DISPROVED, detail, status=Status.FALSE_POSITIVE)
    return withheld, [(Reason.ABSENCE_DISPROVED, detail)]
