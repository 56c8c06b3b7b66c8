"""From everything verifiers said about one finding to the judgement that counts."""

from collections.abc import Sequence

from affidavit.records.candidate import Judgement, Worth
from affidavit.records.finding import Severity

MILDNESS: dict[Worth, int] = {Worth.ACT: 0, Worth.MAYBE: 1, Worth.NIT: 2}


def rule_on(judgements: Sequence[Judgement]) -> Judgement:
    """The judgement that counts: the majority of the first verifier's votes, joined with the second's."""
    votes = [one for one in judgements if one.by == "verifier" and one.role == "verifier"]
    seconds = [one for one in judgements if one.by == "verifier" and one.role == "second_verifier"]
    first = majority_of(votes)
    return join(first, seconds[0]) if seconds else first


def needs_second(first: Judgement) -> bool:
    """Whether a second verifier is asked: not about what is already refuted, nor if no money is left."""
    return first.answer != "REFUTED" and first.outcome != "skipped"


def unanswered_in(judgements: Sequence[Judgement]) -> list[Judgement]:
    """Each verifier that was asked and gave no answer, except votes that the majority does not need."""
    asked = [one for one in judgements if one.by == "verifier" and one.model]
    votes = [one for one in asked if one.role == "verifier"]
    seconds = [one for one in asked if one.role == "second_verifier"]
    said = [*([majority_of(votes)] if votes else []), *seconds]
    return [one for one in said if one.outcome != "answered"]


def join(first: Judgement, second: Judgement) -> Judgement:
    """Two verifiers as one: either can refute, both must confirm, and the milder worth counts.

    A finding on which two independent readers disagree is wrong far more often than the one in a hundred
    that may be shown. No answer refutes nothing: a finding that only one of them confirmed is likely.
    """
    refuting = [one for one in (first, second) if one.answer == "REFUTED"]
    confirming = [one for one in (first, second) if one.answer == "CONFIRMED"]
    if refuting:
        reason = f"{refuting[0].model} refutes it: {refuting[0].reason}"
        return _ruling(answer="REFUTED", reason=reason, worth=Worth.NIT)
    if not confirming:
        reason = f"neither verifier answered: {first.reason or first.outcome}"
        return _ruling(outcome=first.outcome, reason=reason)
    is_alone = len(confirming) == 1
    reason = f"only {confirming[0].model} answered: {confirming[0].reason}" if is_alone else first.reason
    return _ruling(
        answer="CONFIRMED",
        qualified=is_alone or any(one.qualified for one in confirming),
        worth=max((_worth(one) for one in confirming), key=MILDNESS.__getitem__),
        severity=_milder_median(confirming),
        reason=reason,
    )


def majority_of(votes: Sequence[Judgement]) -> Judgement:
    """More than half of all votes decide, missing ones included; without that there is no decision.

    Being sure and being worth acting on need a majority of their own.
    """
    if len(votes) == 1:
        return votes[0]
    refuted = [vote for vote in votes if vote.answer == "REFUTED"]
    confirmed = [vote for vote in votes if vote.answer == "CONFIRMED"]
    silent = [vote for vote in votes if vote.answer is None]
    tally = _tally(votes, confirmed, refuted, silent)
    if _is_most(refuted, votes):
        return _ruling(answer="REFUTED", worth=Worth.NIT, reason=f"{tally}: {refuted[0].reason}", of=votes)
    if not _is_most(confirmed, votes):
        outcome = silent[0].outcome if silent else "failed"
        return _ruling(outcome=outcome, reason=f"no majority: {tally}", of=votes)
    sure = [vote for vote in confirmed if not vote.qualified]
    return _ruling(
        answer="CONFIRMED",
        qualified=not _is_most(sure, votes),
        worth=_most_say(confirmed, votes),
        severity=_milder_median(confirmed),
        reason=f"{tally}: {(sure or confirmed)[0].reason}",
        of=votes,
    )


def _milder_median(confirming: Sequence[Judgement]) -> Severity | None:
    """The severity in the middle of what was said; of an even number the milder one."""
    said = sorted((one.severity for one in confirming if one.severity), key=lambda one: one.rank)
    return said[len(said) // 2] if said else None


def _most_say(confirmed: Sequence[Judgement], votes: Sequence[Judgement]) -> Worth:
    """The highest worth that most votes reach."""
    for worth, mildness in MILDNESS.items():
        if _is_most([vote for vote in confirmed if MILDNESS[_worth(vote)] <= mildness], votes):
            return worth
    return Worth.NIT


def _is_most(some: Sequence[Judgement], votes: Sequence[Judgement]) -> bool:
    return 2 * len(some) > len(votes)


def _worth(judgement: Judgement) -> Worth:
    # A verifier that leaves the worth out has not said that it is worth acting on.
    return judgement.worth or Worth.MAYBE


def _tally(
    votes: Sequence[Judgement],
    confirmed: Sequence[Judgement],
    refuted: Sequence[Judgement],
    silent: Sequence[Judgement],
) -> str:
    counted = [f"{len(confirmed)} confirm", f"{len(refuted)} refute"]
    if silent:
        why = silent[0].outcome.replace("_", " ")
        counted.append(f"{len(silent)} without an answer ({why})")
    return f"of {len(votes)} votes {', '.join(counted)}"


def _ruling(*, of: Sequence[Judgement] = (), **fields: object) -> Judgement:
    model = of[0].model if of else None
    return Judgement.model_validate({"by": "ruling", "model": model, **fields})
