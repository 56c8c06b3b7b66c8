"""How several judgements become the one that counts."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.proof.judgement import join, unanswered_in
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


@given(SILENT, SILENT)
def test_silence_alone_never_refutes_and_is_always_named(first: Judgement, other: Judgement) -> None:
    assert join(first, second(other)).answer is None
    assert len(unanswered_in([first, second(other)])) == 2


@given(VOTE, VOTE)
def test_what_any_verifier_refutes_is_not_confirmed(first: Judgement, other: Judgement) -> None:
    if "REFUTED" in (first.answer, other.answer):
        assert join(first, second(other)).answer == "REFUTED"


@given(VOTE, VOTE)
def test_only_what_both_confirm_without_reserve_is_sure(first: Judgement, other: Judgement) -> None:
    ruled = join(first, second(other))
    is_sure = ruled.answer == "CONFIRMED" and not ruled.qualified
    both = all(one.answer == "CONFIRMED" and not one.qualified for one in (first, other))
    assert is_sure is both


def test_a_judgement_is_written_and_read_with_the_field_that_verifiers_are_asked_for() -> None:
    written = json.loads(NO.model_dump_json())
    assert written["judgment"] == "REFUTED"
    assert "answer" not in written
    assert Judgement.model_validate(written) == NO
