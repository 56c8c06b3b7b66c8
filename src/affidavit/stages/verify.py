"""Judge whether each leading finding is true and worth acting on, and settle its group."""

import math
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

from affidavit.analysers.rulebook import worth_of
from affidavit.contract.vocabulary import CONFIDENCE_NUMBER, verdict_severity
from affidavit.events import Emit, EventName, event, finding_detected, handoff
from affidavit.ports import Judged, Verifiers
from affidavit.proof.judgement import join, unanswered_in
from affidavit.proof.sameness import claim_key
from affidavit.records.candidate import Candidate, Judgement, Status, Worth
from affidavit.records.diagnostics import Diagnostic, Reason
from affidavit.records.docket import Docket
from affidavit.records.finding import Confidence
from affidavit.records.report import Gap, RoleUsage
from affidavit.system.concurrency import side_by_side

STAGE = "verify"
MAX_JUDGED = 3
"""Findings with one cause that are judged until one is not refuted."""
STILL_CONFIRMED = (
    "confirmed in the earlier review; its code is unchanged, and its verifier gave no answer now"
)
ALWAYS_ASKED = 24
"""At least this many findings are always verified."""


@dataclass(frozen=True)
class _Decided:
    """A judged candidate, and its cost."""

    candidate: Candidate
    usage: tuple[RoleUsage, ...] = ()

    @property
    def is_refuted(self) -> bool:
        return self.candidate.status is Status.FALSE_POSITIVE


async def verify(
    docket: Docket, verifiers: Verifiers | None, emit: Emit, blocking_linters: Container[str] = ()
) -> Docket:
    """Verify every leading finding of a model; analysers' findings are proven already.

    If the leader of a group is refuted, its members are judged one after the other. The others are
    withheld as duplicates.
    """
    leading = docket.leading
    unasked = _too_many(leading) if verifiers else frozenset()
    court = _Court(verifiers, emit, unasked, blocking_linters)
    for candidate in leading:
        _announce(candidate, emit)
    emit(handoff("reviewer", "verifier", findings_count=len(leading)))
    first = await side_by_side(court.decide(candidate) for candidate in leading)
    leaders = {one.candidate.id: one for one in first}
    known = {candidate.id: candidate for candidate in docket.candidates}
    settled = await side_by_side(
        (court.settle_cause if group.cause else court.settle)(
            leaders[group.leader], [known[member] for member in group.members]
        )
        for group in docket.groups
    )
    decided = [*first, *(one for members in settled for one in members)]
    now = {one.candidate.id: one.candidate for one in decided}
    candidates = [now.get(candidate.id, candidate) for candidate in docket.candidates]
    verified = sum(candidate.status is Status.VERIFIED for candidate in candidates)
    emit(handoff("verifier", "reporter", verified_count=verified))
    found = Docket(
        incomplete=(*unanswered(candidates), *_not_asked(len(unasked))),
        usage=tuple(spent for one in decided for spent in one.usage),
    )
    return docket.then(candidates, missing_answers(candidates)).plus(found)


@dataclass(frozen=True)
class _Court:
    """Decides one finding after another, and emits the events."""

    verifiers: Verifiers | None
    emit: Emit
    unasked: frozenset[str] = frozenset()
    """Ids of the mildest findings, if there are too many to verify."""
    blocking_linters: Container[str] = ()

    async def decide(self, candidate: Candidate) -> _Decided:
        if candidate.is_proven_by_machine:
            heard = [Judged(judgement=_proven_by_machine(candidate, self.blocking_linters))]
        else:
            heard = await _judge(candidate, None if candidate.id in self.unasked else self.verifiers)
        decided = _apply(candidate, [one.judgement for one in heard])
        self.emit(
            event(
                EventName.FINDING_VERIFIED,
                title=candidate.claim.title,
                status=decided.status,
                confidence=CONFIDENCE_NUMBER[decided.confidence],
                finding_severity=decided.claim.severity,
                finding_id=candidate.id,
                specialist=candidate.specialist,
            )
        )
        return _Decided(decided, tuple(spent for one in heard for spent in one.usage))

    async def settle(self, leader: _Decided, members: Sequence[Candidate]) -> list[_Decided]:
        """Withhold the members as duplicates of their leader; if it is refuted, judge those in other words.

        Two findings may have been taken for one: what refutes the leader need not refute what is said in
        other words.
        """
        claim = claim_key(leader.candidate) if leader.is_refuted else None
        settled = []
        for one in members:
            if not leader.is_refuted or (claim and claim == claim_key(one)):
                settled.append(_Decided(one.withhold(STAGE, Reason.DUPLICATE_OF, leader.candidate.id)))
                continue
            _announce(one, self.emit)
            what = "judged separately: the finding that it duplicates is refuted"
            settled.append(await self.decide(one.then(STAGE, what)))
        return settled

    async def settle_cause(self, leader: _Decided, members: Sequence[Candidate]) -> list[_Decided]:
        """Let one finding represent all with its cause: the first, which has the best proof, unless refuted.

        At most three are judged. A proven finding that is not worth acting on stays alone: it absorbs none.
        """
        if leader.candidate.is_proven_by_machine and leader.candidate.worth is not Worth.ACT:
            return await self._settle_without(members)
        judged, rest = [leader], list(members)
        while rest and len(judged) < MAX_JUDGED and judged[-1].is_refuted:
            _announce(rest[0], self.emit)
            what = f"judged in turn: {judged[-1].candidate.id}, with the same cause, is refuted"
            judged.append(await self.decide(rest.pop(0).then(STAGE, what)))
        best = leader if judged[-1].is_refuted else judged[-1]
        others = [one for one in judged if one is not best]
        under = [one.candidate for one in others] + rest
        stands = best.candidate.model_copy(
            update={"carries": tuple(dict.fromkeys(one.fingerprint for one in under if one.fingerprint))}
        )
        # The leader was already counted.
        spent = {one.candidate.id: one.usage for one in others if one is not leader}
        settled = [
            _Decided(one.withhold(STAGE, Reason.DUPLICATE_OF, stands.id), spent.get(one.id, ()))
            for one in under
        ]
        return [*settled, replace(best, candidate=stands, usage=() if best is leader else best.usage)]

    async def _settle_without(self, members: Sequence[Candidate]) -> list[_Decided]:
        """Settle the members of a group without their leader."""
        first, *others = members
        _announce(first, self.emit)
        decided = await self.decide(first)
        settled = await self.settle_cause(decided, others)
        return [replace(one, usage=decided.usage) if one.candidate.id == first.id else one for one in settled]


def _too_many(leading: Sequence[Candidate]) -> frozenset[str]:
    """Return the ids of the mildest of very many claims: they are not verified.

    The bound grows slower than the claims.
    """
    claims = sorted(
        (one for one in leading if not one.is_proven_by_machine), key=lambda one: (one.rank, one.id)
    )
    most = ALWAYS_ASKED + math.ceil(4 * math.sqrt(len(claims)))
    return frozenset(one.id for one in claims[most:])


def _not_asked(number: int) -> list[Gap]:
    if not number:
        return []
    reason = f"{number} finding{'s' * (number > 1)} not verified: too many for one review"
    return [Gap(name="verifier", reason=reason, advice="The most severe were verified.")]


def _announce(candidate: Candidate, emit: Emit) -> None:
    finding = candidate.claim
    emit(finding_detected(candidate, verdict_severity(finding.severity, finding.category)))


async def _judge(candidate: Candidate, verifiers: Verifiers | None) -> list[Judged]:
    """Return all judgements of a finding; the last one counts."""
    standing = candidate.carried.judgement if candidate.carried else None
    if standing is not None and candidate.carried and (verifiers is None or not candidate.carried.asks):
        return [Judged(judgement=standing)]
    if verifiers is None:
        reason = "no verifier was asked"
        return [Judged(judgement=Judgement(by="verifier", outcome="skipped", reason=reason))]
    heard = [await verifiers.first.judge(candidate)]
    first = heard[0].judgement
    # A refuted finding needs no second opinion, and a spent budget allows none.
    if verifiers.second and first.answer != "REFUTED" and first.outcome != "skipped":
        heard.append(await verifiers.second.judge(candidate))
        heard.append(Judged(judgement=join(first, heard[1].judgement)))
    if heard[-1].judgement.answer is None and standing is not None and standing.answer == "CONFIRMED":
        # A missing answer refutes nothing: a confirmed finding in unchanged code stays confirmed.
        heard.append(Judged(judgement=standing.model_copy(update={"reason": STILL_CONFIRMED})))
    return heard


def _proven_by_machine(candidate: Candidate, blocking_linters: Container[str]) -> Judgement:
    worth = worth_of(candidate.claim.rule_id or "", blocking_linters)
    reason = f"{candidate.specialist} reports it at head and not at base"
    return Judgement(by="machine", answer="CONFIRMED", worth=worth, reason=reason)


def unanswered(candidates: Sequence[Candidate]) -> list[Gap]:
    """Return a gap for each verifier that gave no answer on a finding."""
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
    """Return a diagnostic for each missing judgement."""
    return [
        candidate.note(
            Reason.BUDGET_EXHAUSTED if judgement.outcome == "skipped" else Reason.VERIFIER_FAILED,
            judgement.reason or judgement.outcome,
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
    judged = _by_severity(judged, judgement)
    status = Status.UNVERIFIED
    if judgement.answer == "CONFIRMED":
        is_open = judgement.qualified or (
            candidate.quote is not None and candidate.quote.outcome == "not_quoted"
        )
        status = Status.LIKELY if is_open else Status.VERIFIED
    # Without a worth, the verifier has not said that it is worth acting on.
    worth = judgement.worth or (Worth.MAYBE if judgement.answer else Worth.ACT)
    confidence = derive_confidence(judged, status)
    return judged.model_copy(update={"status": status, "worth": worth, "confidence": confidence})


def _by_severity(candidate: Candidate, judgement: Judgement) -> Candidate:
    """Set the severity that the verifier chose; an analyser's finding keeps its rule's."""
    finding, severity = candidate.claim, judgement.severity
    if candidate.is_proven_by_machine or severity in (None, finding.severity):
        return candidate
    return candidate.then(
        STAGE,
        f"{severity}, claimed as {finding.severity}",
        finding=finding.model_copy(update={"severity": severity}),
        claimed_severity=finding.severity,
    )


def _refutation(candidate: Candidate) -> Reason:
    """Return the reason code of a refuted finding.

    Hits of its own searches disprove a claim of absence. A finding of the earlier review is fixed, unless
    nobody had verified it then and its code is unchanged: then it was never true.
    """
    carried = candidate.carried
    if carried and not carried.is_repeated and not carried.is_first_judged:
        return Reason.FIXED
    has_hits = any(run.hits for run in candidate.searches)
    is_disproved = candidate.evidence.is_absence_finding and has_hits
    return Reason.ABSENCE_DISPROVED if is_disproved else Reason.REFUTED


def _who(judgement: Judgement) -> str:
    return judgement.role.replace("_", " ") if judgement.by == "verifier" else judgement.by


def derive_confidence(candidate: Candidate, status: Status) -> Confidence:
    """Derive confidence from verification, agreement and the quote. It gates nothing."""
    if status is Status.VERIFIED:
        is_exact = candidate.quote is not None and candidate.quote.outcome == "exact"
        return "high" if is_exact or candidate.agreed_by else "medium"
    if status is Status.LIKELY or (status is Status.UNVERIFIED and candidate.agreed_by):
        return "medium"
    return "low"
