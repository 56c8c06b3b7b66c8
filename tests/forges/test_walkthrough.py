"""The posted summary says what the change does, in reading order, and what behaves differently."""

from typing import Any

import pytest

from affidavit.forges.posting.actions import PostOptions
from affidavit.forges.posting.summary import SummaryContext, summary_body
from affidavit.records.plan import Chunk, Plan
from affidavit.records.report import BehaviourRow
from reports import a_candidate, a_report

PLAN = Plan(
    goal="Adds coupons to the cart.",
    approach="A coupon is a function; @team please approve.",
    impact="Prices may fall below zero.",
    chunks=(
        Chunk(number=1, paths=("shop/coupons.py", "shop/cart.py"), tokens=10),
        Chunk(number=2, paths=("shop/cart.py", "tests/test_cart.py"), tokens=10),
    ),
    made_by="model",
)
ROWS = (
    BehaviourRow(specialist="experimenter", name="a full cart", state="alike"),
    BehaviourRow(specialist="experimenter", name="an empty cart", state="differs"),
    BehaviourRow(specialist="experimenter", name="a coupon", state="announced", announced="coupons"),
    BehaviourRow(specialist="experimenter", name="time", state="flaky"),
)


def summary(**fields: Any) -> str:
    return summary_body(a_report(a_candidate(1), **fields), SummaryContext(), PostOptions(), 65_000)


def test_the_walkthrough_has_the_purpose_the_order_and_what_differs_by_experiment() -> None:
    walk = summary(plan=PLAN, behaviour=ROWS).partition("<summary>Walkthrough</summary>")[2]
    walk = walk.partition("</details>")[0]
    assert "Adds coupons to the cart. A coupon is a function" in walk
    assert "1. `shop/coupons.py`\n2. `shop/cart.py`\n3. `tests/test_cart.py`" in walk
    differs = walk.partition("Behaves differently")[2]
    assert [name for name in ("a full cart", "an empty cart", "a coupon", "time") if name in differs] == [
        "an empty cart",
        "a coupon",
    ]
    # The words of a model mention nobody.
    assert "@team" not in walk.replace("@\u200bteam", "").replace("`@team`", "")


@pytest.mark.parametrize("plan", [None, PLAN.model_copy(update={"made_by": "code"})])
def test_without_the_plan_of_a_model_there_is_none(plan: Plan | None) -> None:
    assert "Walkthrough" not in summary(plan=plan, behaviour=ROWS)


def test_without_programs_nothing_is_said_to_differ() -> None:
    assert "Behaves differently" not in summary(plan=PLAN)


def test_a_long_walkthrough_is_cut_and_counted() -> None:
    paths = tuple(f"shop/part_{number}.py" for number in range(100))
    long = PLAN.model_copy(update={"goal": "x" * 5_000, "chunks": (Chunk(number=1, paths=paths, tokens=1),)})
    text = summary(plan=long)
    assert "88 more" in text
    assert "part_11.py" in text
    assert "part_12.py" not in text
    assert "x" * 500 not in text
