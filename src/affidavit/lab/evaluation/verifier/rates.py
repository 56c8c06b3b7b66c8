"""Count what a verifier said of planted claims: judged claims in, rates with intervals out."""

from collections.abc import Callable, Iterable, Sequence

from affidavit.quality.statistics import rate_of
from affidavit.records.lab.planted_claim import ClaimKind, Trap
from affidavit.records.lab.verifier_trial import JudgedClaim
from affidavit.records.measure import Rate


def refuted_rate(claims: Sequence[JudgedClaim]) -> Rate | None:
    """Of the wrong claims; what was not judged is in no rate."""
    return _share(_of_kind(claims, ClaimKind.WRONG), lambda one: one.is_truth_right)


def confirmed_rate(claims: Sequence[JudgedClaim]) -> Rate | None:
    """Of the true claims, whatever worth they were given."""
    return _share(_of_kind(claims, ClaimKind.TRUE), lambda one: one.is_truth_right)


def small_rate(claims: Sequence[JudgedClaim]) -> Rate | None:
    """Of the trivial claims, those that a report would not show in full."""
    return _share(_of_kind(claims, ClaimKind.TRIVIAL), lambda one: one.is_small)


def worth_rate(claims: Sequence[JudgedClaim]) -> Rate | None:
    """Of what is true and was confirmed, that with a worth as the set knows it."""
    confirmed = [one for one in claims if one.kind is not ClaimKind.WRONG and one.is_truth_right]
    return _share(confirmed, lambda one: one.is_worth_right)


def refuted_by_trap(claims: Sequence[JudgedClaim]) -> dict[Trap, Rate]:
    """Of the wrong claims of each trap, in the order of the traps."""
    by_trap = {trap: refuted_rate([one for one in claims if one.trap is trap]) for trap in Trap}
    return {trap: rate for trap, rate in by_trap.items() if rate is not None}


def _of_kind(claims: Iterable[JudgedClaim], kind: ClaimKind) -> list[JudgedClaim]:
    return [one for one in claims if one.kind is kind]


def _share(claims: Iterable[JudgedClaim], is_counted: Callable[[JudgedClaim], bool]) -> Rate | None:
    judged = [one for one in claims if one.is_judged]
    return rate_of(sum(map(is_counted, judged)), len(judged))
