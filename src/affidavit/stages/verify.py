"""Decide of each surviving finding whether it is true, and what it is worth."""

from collections.abc import Awaitable, Callable, Iterable, Sequence

from affidavit.contract.vocabulary import CONFIDENCE_NUMBER, verdict_severity
from affidavit.events import Emit, EventName, event, finding_detected
from affidavit.ports import Verifiers
from affidavit.proof.likeness import SAME_WORDS, SIMILAR_WORDS, likeness
from affidavit.proof.ruling import needs_second, rule_on, unanswered_in
from affidavit.records.candidate import Candidate, Judgement, Status, Withheld, Worth
from affidavit.records.diagnostics import Diagnostic, Reason
from affidavit.records.finding import Confidence
from affidavit.records.report import Gap
from affidavit.system.concurrency import side_by_side

STAGE = "verify"
"""What may block a merge is voted on, where votes are asked for."""

WorthOf = Callable[[str], Worth]


async def verify_candidates(
    candidates: Sequence[Candidate],
    *,
    verifiers: Verifiers | None,
    worth_of: WorthOf,
    emit: Emit,
) -> list[Candidate]:
    """Cross-examine every finding that stands; the machine's own findings are true already."""

    async def decide(candidate: Candidate) -> Candidate:
        if candidate.withheld or candidate.finding is None:
            return candidate
        decided = _apply(candidate, await _judge(candidate, verifiers, worth_of))
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

    decided = await side_by_side(decide(candidate) for candidate in candidates)
    rejudged = await side_by_side(_judge_again(others, decide, emit) for others in _to_judge_again(decided))
    revived = {candidate.id: candidate for candidates in rejudged for candidate in candidates}
    return [revived.get(candidate.id, candidate) for candidate in decided]


def _to_judge_again(decided: Sequence[Candidate]) -> list[list[Candidate]]:
    """What was withheld as a duplicate of a refuted finding, and says it in other words.

    Two findings may have been taken for one: what refutes the first need not refute the other.
    """
    refuted = {one.id: one.finding for one in decided if _is_refuted(one)}
    others: dict[str, list[Candidate]] = {}
    for candidate in decided:
        twin = candidate.withheld.detail if candidate.withheld else ""
        kept = (
            refuted.get(twin)
            if candidate.withheld and candidate.withheld.code is Reason.DUPLICATE_OF
            else None
        )
        if kept and candidate.finding and likeness(kept, candidate.finding) < SAME_WORDS:
            others.setdefault(twin, []).append(candidate)
    return list(others.values())


async def _judge_again(
    others: Sequence[Candidate], decide: Callable[[Candidate], Awaitable[Candidate]], emit: Emit
) -> list[Candidate]:
    """Judge one after the other; one that says the same as another that is kept is its duplicate."""
    rejudged: list[Candidate] = []
    standing: list[Candidate] = []
    for candidate in others:
        twin = _twin_among(standing, candidate)
        if twin:
            again = Withheld(code=Reason.DUPLICATE_OF, detail=twin.id)
            rejudged.append(candidate.then(STAGE, f"a duplicate of {twin.id}", withheld=again))
        elif finding := candidate.finding:
            emit(finding_detected(candidate, verdict_severity(finding.severity, finding.category)))
            what = "judged by itself: what it was a duplicate of is refuted"
            judged = await decide(candidate.then(STAGE, what, withheld=None))
            standing += [] if _is_refuted(judged) else [judged]
            rejudged.append(judged)
    return rejudged


def _twin_among(standing: Iterable[Candidate], candidate: Candidate) -> Candidate | None:
    """Two that were like a refuted finding need not be like each other."""
    return next(
        (
            one
            for one in standing
            if one.finding and candidate.finding and likeness(one.finding, candidate.finding) >= SIMILAR_WORDS
        ),
        None,
    )


def _is_refuted(candidate: Candidate) -> bool:
    return candidate.status is Status.FALSE_POSITIVE


async def _judge(candidate: Candidate, verifiers: Verifiers | None, worth_of: WorthOf) -> list[Judgement]:
    """All that is said of a finding; the last is what counts."""
    if candidate.kind == "mechanical":
        return await _judge_worth(candidate, verifiers, worth_of)
    if verifiers is None:
        return [Judgement(by="verifier", outcome="skipped", reason="no model is configured to verify it")]
    voters = verifiers.voters if candidate.finding and candidate.finding.severity.is_grave else ()
    said = await side_by_side(one.judge(candidate) for one in (verifiers.first, *voters))
    if verifiers.second and needs_second(rule_on(said)):
        said.append(await verifiers.second.judge(candidate))
    return said if len(said) == 1 else [*said, rule_on(said)]


async def _judge_worth(
    candidate: Candidate, verifiers: Verifiers | None, worth_of: WorthOf
) -> list[Judgement]:
    """The machine's finding is true already; whether it is worth a maintainer's time here is asked, once."""
    proven = _proven_by_machine(candidate, worth_of)
    if verifiers is None or proven.worth is Worth.NIT:
        return [proven]
    # Its word on the truth was not asked for and must not be read as one.
    asked = (await verifiers.first.judge(candidate)).model_copy(update={"answer": None, "qualified": False})
    reason = f"{proven.reason}; {asked.reason}" if asked.worth and asked.reason else proven.reason
    worth = asked.worth or proven.worth
    if worth is Worth.NIT and candidate.finding and candidate.finding.severity.is_grave:
        # A model can be talked round by the change; what is proven and grave is not hidden on its word.
        worth = Worth.MAYBE
    return [asked, proven.model_copy(update={"worth": worth, "model": asked.model, "reason": reason})]


def _proven_by_machine(candidate: Candidate, worth_of: WorthOf) -> Judgement:
    rule_id = candidate.finding.rule_id if candidate.finding else None
    reason = f"{candidate.specialist} reports it at head and not at base"
    return Judgement(by="machine", answer="CONFIRMED", worth=worth_of(rule_id or ""), reason=reason)


def unanswered(candidates: Sequence[Candidate]) -> list[Gap]:
    """The findings on which a verifier gave no answer, one gap for each verifier."""
    reasons: dict[str, list[str]] = {}
    for candidate in candidates:
        for judgement in unanswered_in(candidate.judgements):
            reasons.setdefault(judgement.role, []).append(judgement.reason or judgement.outcome)
    return [
        Gap(
            name=role.replace("_", " "),
            reason=f"no answer on {len(given)} finding{'s' * (len(given) > 1)}: {given[0]}",
        )
        for role, given in reasons.items()
    ]


def missing_answers(candidates: Sequence[Candidate]) -> list[Diagnostic]:
    """A diagnostic for each judgement that was asked for and not given."""
    return [
        Diagnostic(
            code=Reason.BUDGET_EXHAUSTED if judgement.outcome == "skipped" else Reason.VERIFIER_FAILED,
            detail=judgement.reason or judgement.outcome,
            specialist=candidate.specialist,
            index=candidate.index,
            id=candidate.finding.id if candidate.finding else None,
        )
        for candidate in candidates
        for judgement in unanswered_in(candidate.judgements)
    ]


def _apply(candidate: Candidate, said: Sequence[Judgement]) -> Candidate:
    judged = candidate
    for one in said:
        what = one.answer or (f"worth {one.worth}" if one.worth else one.outcome)
        judged = judged.then(STAGE, f"{_who(one)}: {what}. {one.reason}")
    judgement = said[-1]
    judged = judged.model_copy(update={"judgements": (*candidate.judgements, *said)})
    if judgement.answer == "REFUTED":
        return judged.withhold(STAGE, _refutation(judged), judgement.reason, status=Status.FALSE_POSITIVE)
    status = Status.UNVERIFIED
    if judgement.answer == "CONFIRMED":
        is_open = judgement.qualified or (
            candidate.quote is not None and candidate.quote.outcome == "not_quoted"
        )
        status = Status.LIKELY if is_open else Status.VERIFIED
    # A verifier that leaves the worth out has not said that it is worth acting on.
    worth = judgement.worth or (Worth.MAYBE if judgement.answer else Worth.ACT)
    confidence = derive_confidence(judged, status)
    return judged.model_copy(update={"status": status, "worth": worth, "confidence": confidence})


def _refutation(candidate: Candidate) -> Reason:
    """A claim of absence that was refuted with hits of its own searches at hand is disproved by them."""
    proof = candidate.finding.verification if candidate.finding else None
    is_absence = proof is not None and proof.is_absence_finding
    has_hits = any(run.hits for run in candidate.searches)
    return Reason.ABSENCE_DISPROVED if is_absence and has_hits else Reason.REFUTED


def _who(judgement: Judgement) -> str:
    if judgement.by != "verifier":
        return judgement.by
    vote = f", vote {judgement.take}" if judgement.take > 1 else ""
    return judgement.role.replace("_", " ") + vote


def derive_confidence(candidate: Candidate, status: Status) -> Confidence:
    """From the outcome alone: verification, agreement, exactness of the quote. It gates nothing."""
    if status is Status.VERIFIED:
        is_exact = candidate.quote is not None and candidate.quote.outcome == "exact"
        return "high" if is_exact or candidate.agreed_by else "medium"
    if status is Status.LIKELY or (status is Status.UNVERIFIED and candidate.agreed_by):
        return "medium"
    return "low"
