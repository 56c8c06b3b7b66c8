"""A shorter text may leave out, and never adds."""

from typing import Any

import pytest

from affidavit.proof.rewording import is_too_long, why_not_used
from affidavit.records.candidate import Withheld, Wording
from affidavit.records.diagnostics import Reason
from claims import candidate, finding

LONG = "The loop in `cart.total()` starts at 1, so that each order of 3 items costs 1 cent more. " * 5
FOUND = finding(message=LONG, evidence={"failing_input": "total([])", "wrong_outcome": "1 instead of 0"})


def short(message: str, title: str = "Totals are one cent too high") -> Wording:
    return Wording(title=title, message=message)


@pytest.mark.parametrize(
    "message",
    [
        "The loop in `cart.total()` starts at 1.",
        "cart.total() starts at 1; total([]) is 1 instead of 0.",
        "Each order costs more.",
    ],
)
def test_a_text_with_nothing_new_in_it_is_taken(message: str) -> None:
    assert why_not_used(short(message), FOUND) == ""


@pytest.mark.parametrize(
    ("message", "added"),
    [
        ("The loop starts at 2.", "2"),
        ("The loop in `basket.total()` starts at 1.", "basket.total()"),
        ("It raises ValueError.", "ValueError"),
        ("See CVE numbers.", "CVE"),
        ("The loop in shop/cart.py starts at 1.", "shop/cart.py"),
        ("sum_of is called.", "sum_of"),
    ],
)
def test_a_text_with_another_name_or_number_is_not_taken(message: str, added: str) -> None:
    assert added in why_not_used(short(message), FOUND)


def test_a_text_that_is_empty_or_long_again_is_not_taken() -> None:
    assert why_not_used(short(""), FOUND) == "it has no title or no message"
    assert why_not_used(short("each " * 61), FOUND) == "it is too long, too"
    assert why_not_used(short("each", title="o" * 81), FOUND) == "it is too long, too"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, True),
        ({"kind": "mechanical"}, False),
        ({"withheld": Withheld(code=Reason.NIT)}, False),
    ],
)
def test_only_what_a_model_wrote_and_people_read_is_made_shorter(
    fields: dict[str, Any], expected: bool
) -> None:
    assert is_too_long(candidate(FOUND, **fields)) is expected


def test_a_long_title_is_too_long_and_a_short_text_is_not() -> None:
    assert is_too_long(candidate(finding(title="o" * 81)))
    assert not is_too_long(candidate(finding(message="word " * 60)))
