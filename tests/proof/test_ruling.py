"""How several judgements become the one that counts."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.proof.judgement import join, majority_of, rule_on, unanswered_in
from affidavit.records.candidate import Judgement, Worth

JUDGED = st.builds(
    Judgement,
    by=st.just("verifier"),
    answer=st.sampled_from(["CONFIRMED", "REFUTED"]),
    qualified=st.booleans(),
    worth=st.sampled_from([None, *Worth]),
    model=st.just("one"),
)
SILENT = st.builds(
    Judgement,
    by=st.just("verifier"),
    outcome=st.sampled_from(["cut_off", "failed", "refused", "skipped"]),
    model=st.just("one"),
)
VOTE = JUDGED | SILENT
ODD_VOTES = st.sampled_from([1, 3, 5]).flatmap(lambda count: st.lists(VOTE, min_size=count, max_size=count))


def yes(worth: Worth | None = Worth.ACT, **fields: Any) -> Judgement:
    return Judgement(by="verifier", answer="CONFIRMED", worth=worth, model="one", **fields)


def second(judgement: Judgement) -> Judgement:
    return judgement.model_copy(update={"role": "second_verifier", "model": "two"})


NO = Judgement(by="verifier", answer="REFUTED", worth=Worth.NIT, model="one", reason="app.py:3")
CUT = Judgement(by="verifier", outcome="cut_off", model="one")


@pytest.mark.parametrize(
    ("first", "other", "judgment", "qualified"),
    [
        (yes(), yes(), "CONFIRMED", False),
        (yes(), yes(qualified=True), "CONFIRMED", True),
        (yes(), CUT, "CONFIRMED", True),
        (CUT, yes(), "CONFIRMED", True),
        (yes(), NO, "REFUTED", False),
        (CUT, NO, "REFUTED", False),
        (CUT, CUT, None, False),
    ],
)
def test_either_can_refute_both_must_confirm_and_silence_refutes_nothing(
    first: Judgement, other: Judgement, judgment: str | None, qualified: bool
) -> None:
    ruled = join(first, second(other))
    assert (ruled.answer, ruled.qualified) == (judgment, qualified)


@pytest.mark.parametrize(
    ("first", "other", "worth"),
    [
        (Worth.ACT, Worth.NIT, Worth.NIT),
        (Worth.MAYBE, Worth.ACT, Worth.MAYBE),
        (Worth.ACT, None, Worth.MAYBE),
        (Worth.ACT, Worth.ACT, Worth.ACT),
    ],
)
def test_the_milder_worth_of_two_counts(first: Worth, other: Worth | None, worth: Worth) -> None:
    assert join(yes(first), second(yes(other))).worth is worth


@pytest.mark.parametrize(
    ("worths", "worth"),
    [
        ((Worth.ACT, Worth.ACT, Worth.NIT), Worth.ACT),
        ((Worth.ACT, Worth.MAYBE, Worth.NIT), Worth.MAYBE),
        ((Worth.ACT, None, None), Worth.MAYBE),
        ((Worth.ACT, Worth.NIT, Worth.NIT), Worth.NIT),
    ],
)
def test_worth_needs_a_majority_of_its_own(worths: Sequence[Worth | None], worth: Worth) -> None:
    assert majority_of([yes(one) for one in worths]).worth is worth


def test_votes_that_are_sure_need_a_majority_of_their_own() -> None:
    assert majority_of([yes(), yes(), yes(qualified=True)]).qualified is False
    assert majority_of([yes(), yes(qualified=True), NO]).qualified is True


def test_one_judgement_alone_is_the_one_that_counts() -> None:
    assert rule_on([NO]) is NO
    assert rule_on([CUT]) is CUT


@given(ODD_VOTES)
def test_nothing_is_decided_that_less_than_half_of_the_votes_say(votes: list[Judgement]) -> None:
    ruled = majority_of(votes)
    agreeing = sum(vote.answer == ruled.answer for vote in votes)
    assert ruled.answer is None or 2 * agreeing > len(votes)
    assert (ruled.outcome == "answered") is (ruled.answer is not None)


@given(st.lists(SILENT, min_size=1, max_size=3), st.none() | SILENT)
def test_silence_alone_never_refutes_and_is_always_named(
    votes: list[Judgement], other: Judgement | None
) -> None:
    said = [*votes, *([second(other)] if other else [])]
    assert rule_on(said).answer is None
    assert len(unanswered_in(said)) == (2 if other else 1)


@given(ODD_VOTES, st.none() | VOTE)
def test_what_any_verifier_refutes_is_not_confirmed(votes: list[Judgement], other: Judgement | None) -> None:
    ruled = rule_on([*votes, *([second(other)] if other else [])])
    if majority_of(votes).answer == "REFUTED" or (other and other.answer == "REFUTED"):
        assert ruled.answer == "REFUTED"


@given(ODD_VOTES, VOTE)
def test_only_what_both_confirm_without_reserve_is_sure(votes: list[Judgement], other: Judgement) -> None:
    ruled = rule_on([*votes, second(other)])
    first = majority_of(votes)
    is_sure = ruled.answer == "CONFIRMED" and not ruled.qualified
    both = all(one.answer == "CONFIRMED" and not one.qualified for one in (first, other))
    assert is_sure is both


def test_a_tie_decides_nothing() -> None:
    tied = majority_of([yes(), NO])
    assert (tied.answer, tied.outcome) == (None, "failed")
    assert tied.reason == "no majority: of 2 votes 1 confirm, 1 refute"


def test_a_judgement_is_written_and_read_with_the_field_that_verifiers_are_asked_for() -> None:
    written = json.loads(NO.model_dump_json())
    assert written["judgment"] == "REFUTED"
    assert "answer" not in written
    assert Judgement.model_validate(written) == NO
