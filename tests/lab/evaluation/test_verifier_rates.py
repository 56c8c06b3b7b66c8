"""How often a verifier is right about planted claims, by kind and by trap."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from affidavit.lab.evaluation import trial as rates
from affidavit.lab.evaluation.trial import JudgedClaim
from affidavit.lab.records import ClaimKind, Trap
from affidavit.records.candidate import Worth
from affidavit.records.finding import Severity


def judged(kind: ClaimKind, answer: str | None, **fields: Any) -> JudgedClaim:
    known = {ClaimKind.WRONG: (), ClaimKind.TRUE: (Worth.ACT,), ClaimKind.TRIVIAL: (Worth.NIT,)}
    return JudgedClaim(
        **{
            "id": "c",
            "case": "one",
            "kind": kind,
            "trap": Trap.GUARDED if kind is ClaimKind.WRONG else None,
            "title": "It breaks",
            "file": "a.py",
            "line": 1,
            "claimed_severity": Severity.HIGH,
            "known_worth": known[kind],
            "why": "a.py:1 guards it",
            "answer": answer,
            **fields,
        }
    )


def wrong(answer: str | None, trap: Trap = Trap.GUARDED) -> JudgedClaim:
    return judged(ClaimKind.WRONG, answer, trap=trap)


def test_what_was_not_judged_is_in_no_rate() -> None:
    rate = rates.refuted_rate([wrong("REFUTED"), wrong("CONFIRMED"), wrong(None)])
    assert rate is not None
    assert (rate.count, rate.n) == (1, 2)
    assert rates.refuted_rate([wrong(None)]) is None


def test_each_rate_counts_its_own_kind_only() -> None:
    claims = [
        wrong("REFUTED"),
        judged(ClaimKind.TRUE, "REFUTED"),
        judged(ClaimKind.TRIVIAL, "CONFIRMED", worth=Worth.NIT),
    ]
    measured = [rates.refuted_rate(claims), rates.confirmed_rate(claims), rates.small_rate(claims)]
    assert [(rate.count, rate.n) for rate in measured if rate] == [(1, 1), (0, 1), (1, 1)]


def test_wrong_claims_are_counted_by_trap_and_traps_without_claims_left_out() -> None:
    claims = [wrong("REFUTED", Trap.LOCKED), wrong("CONFIRMED", Trap.LOCKED), wrong("REFUTED", Trap.CAUGHT)]
    by_trap = rates.refuted_by_trap(claims)
    assert {trap: (rate.count, rate.n) for trap, rate in by_trap.items()} == {
        Trap.LOCKED: (1, 2),
        Trap.CAUGHT: (1, 1),
    }


def test_a_trivial_claim_that_is_refuted_or_to_be_acted_on_is_not_called_small() -> None:
    trivial = [
        judged(ClaimKind.TRIVIAL, "CONFIRMED", worth=Worth.MAYBE),
        judged(ClaimKind.TRIVIAL, "CONFIRMED", worth=Worth.ACT),
        judged(ClaimKind.TRIVIAL, "REFUTED", worth=Worth.NIT),
    ]
    rate = rates.small_rate(trivial)
    assert rate is not None
    assert (rate.count, rate.n) == (1, 3)


def test_a_true_claim_with_another_worth_than_is_known_is_confirmed_and_a_mistake_all_the_same() -> None:
    claim = judged(ClaimKind.TRUE, "CONFIRMED", worth=Worth.NIT)
    confirmed, worth = rates.confirmed_rate([claim]), rates.worth_rate([claim])
    assert confirmed is not None
    assert worth is not None
    assert (confirmed.count, worth.count, claim.is_mistaken) == (1, 0, True)


@given(st.lists(st.sampled_from(["CONFIRMED", "REFUTED", None])))
def test_wrong_claims_are_refuted_mistaken_or_not_judged(answers: list[str | None]) -> None:
    claims = [wrong(answer) for answer in answers]
    rate = rates.refuted_rate(claims)
    refuted = rate.count if rate else 0
    mistaken = sum(claim.is_mistaken for claim in claims)
    assert refuted + mistaken + answers.count(None) == len(answers)
