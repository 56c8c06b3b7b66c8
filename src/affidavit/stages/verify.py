"""Decide of each surviving finding whether it is true, and what it is worth."""

import asyncio
from collections.abc import Callable, Sequence

from affidavit.contract.vocabulary import CONFIDENCE_NUMBER
from affidavit.events import Emit, EventName, event
from affidavit.ports import Verifier
from affidavit.records.candidate import Candidate, Judgement, Status, Worth
from affidavit.records.diagnostics import Code
from affidavit.records.finding import Confidence
from affidavit.records.report import Part

STAGE = "verify"

WorthOf = Callable[[str], Worth]


async def verify_candidates(
    candidates: Sequence[Candidate],
    *,
    verifier: Verifier | None,
    worth_of: WorthOf,
    emit: Emit,
) -> list[Candidate]:
    """Cross-examine every finding that stands; the machine's own findings are true already."""

    async def decide(candidate: Candidate) -> Candidate:
        if candidate.withheld or candidate.finding is None:
            return candidate
        judgement = await _judge(candidate, verifier, worth_of)
        decided = _apply(candidate, judgement)
        emit(
            event(
                EventName.FINDING_VERIFIED,
                title=candidate.finding.title,
                status=decided.status,
                confidence=CONFIDENCE_NUMBER[decided.confidence],
                finding_id=candidate.id,
                specialist=candidate.specialist,
            )
        )
        return decided

    return list(await asyncio.gather(*(decide(candidate) for candidate in candidates)))


async def _judge(candidate: Candidate, verifier: Verifier | None, worth_of: WorthOf) -> Judgement:
    if candidate.kind == "mechanical":
        proven = _proven_by_machine(candidate, worth_of)
        if verifier is None or proven.worth is Worth.NIT:
            return proven
        # It is true already; whether it is worth a maintainer's time here is asked.
        asked = await verifier.judge(candidate)
        return proven.model_copy(update={"worth": asked.worth or proven.worth, "model": asked.model})
    if verifier is None:
        return Judgement(by="verifier", outcome="skipped", reason="no model is configured to verify it")
    return await verifier.judge(candidate)


def _proven_by_machine(candidate: Candidate, worth_of: WorthOf) -> Judgement:
    rule_id = candidate.finding.rule_id if candidate.finding else None
    reason = f"{candidate.specialist} reports it at head and not at base"
    return Judgement(by="machine", judgment="CONFIRMED", worth=worth_of(rule_id or ""), reason=reason)


def unanswered(candidates: Sequence[Candidate]) -> list[Part]:
    """The findings that a verifier was asked about in vain, as one part that did not complete."""
    reasons = [
        judgement.reason or judgement.outcome
        for candidate in candidates
        for judgement in candidate.judgements[-1:]
        if judgement.by == "verifier" and judgement.outcome != "answered" and judgement.model
    ]
    if not reasons:
        return []
    return [Part(name="verifier", reason=f"no answer on {len(reasons)} findings: {reasons[0]}")]


def _apply(candidate: Candidate, judgement: Judgement) -> Candidate:
    judgements = (*candidate.judgements, judgement)
    what = judgement.judgment or judgement.outcome
    judged = candidate.then(STAGE, f"{judgement.by}: {what}. {judgement.reason}", judgements=judgements)
    if judgement.judgment == "REFUTED":
        return judged.withhold(STAGE, Code.REFUTED, judgement.reason, status=Status.FALSE_POSITIVE)
    status = Status.UNVERIFIED
    if judgement.judgment == "CONFIRMED":
        is_open = judgement.qualified or (
            candidate.quote is not None and candidate.quote.outcome == "not_quoted"
        )
        status = Status.LIKELY if is_open else Status.VERIFIED
    # A verifier that leaves the worth out has not said that it is worth acting on.
    worth = judgement.worth or (Worth.MAYBE if judgement.judgment else Worth.ACT)
    confidence = derive_confidence(judged, status)
    return judged.model_copy(update={"status": status, "worth": worth, "confidence": confidence})


def derive_confidence(candidate: Candidate, status: Status) -> Confidence:
    """From the outcome alone: verification, agreement, exactness of the quote. It gates nothing."""
    if status is Status.VERIFIED:
        is_exact = candidate.quote is not None and candidate.quote.outcome == "exact"
        return "high" if is_exact or candidate.agreed_by else "medium"
    if status is Status.LIKELY or (status is Status.UNVERIFIED and candidate.agreed_by):
        return "medium"
    return "low"
