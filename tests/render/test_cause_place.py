"""Where the change touched what an impact finding depends on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.records.change import FileStatus
from affidavit.records.finding import Cause
from affidavit.render.changed_lines import changed_place, head_line
from reports import a_change, a_file, a_hunk


def anchor_of(
    *lines: str, symbol: str = "price_of", start: int = 1, heading: str = ""
) -> tuple[str, int] | None:
    change = a_change([a_file("a.py", a_hunk(*lines, start=start, heading=heading))])
    place = changed_place(change, Cause(file="a.py", symbol=symbol))
    return (place.anchor.mark, head_line(place, change)) if place else None


def test_the_line_that_defines_the_symbol_is_the_anchor() -> None:
    assert anchor_of("+x = price_of(1)", "+", "+def price_of(item):") == ("+", 3)


def test_a_method_is_found_by_its_last_name() -> None:
    assert anchor_of("+a = 1", "+    def price_of(self):", symbol="Item.price_of") == ("+", 2)


def test_an_added_definition_is_preferred_to_the_removed_one() -> None:
    assert anchor_of("-def price_of(a):", "+def price_of(a, b):") == ("+", 1)


def test_a_removed_definition_is_anchored_at_the_nearest_added_line() -> None:
    assert anchor_of("-def price_of(a):", " pass", "+other = 1", start=5) == ("-", 6)


def test_a_change_in_the_body_is_found_through_the_definition_above_it() -> None:
    assert anchor_of("+import os", " def price_of(a):", "-    return 1", "+    return 2") == ("-", 3)


def test_a_change_in_the_body_is_found_through_the_heading_of_its_hunk() -> None:
    assert anchor_of(" x", "+    return 2", start=50, heading="def price_of(a):") == ("+", 51)


def test_without_a_trace_of_the_symbol_the_first_changed_line_counts() -> None:
    assert anchor_of(" x", "+y", "+z") == ("+", 2)


def test_pure_removal_is_anchored_at_the_hunk() -> None:
    assert anchor_of(" x", "-def price_of(): ...", start=9) == ("-", 9)


def test_a_long_run_of_changes_is_shown_in_part_with_the_anchor() -> None:
    lines = [f"+line {number}" for number in range(50)]
    lines[30] = "+def price_of(item):"
    change = a_change([a_file("a.py", a_hunk(*lines))])
    place = changed_place(change, Cause(file="a.py", symbol="price_of"))
    assert place is not None
    assert place.anchor in place.lines
    assert len(place.lines) == 3


def test_a_cause_under_the_old_name_of_a_file_is_found() -> None:
    file = a_file("new.py", a_hunk("+def price_of(): ..."), status=FileStatus.RENAMED, old_path="old.py")
    place = changed_place(a_change([file]), Cause(file="old.py", symbol="price_of"))
    assert place is not None
    assert place.path == "new.py"


@pytest.mark.parametrize("file", ["nowhere.py", ""])
def test_a_cause_outside_the_change_has_no_place(file: str) -> None:
    assert changed_place(a_change(), Cause(file=file, symbol="x")) is None


@given(
    st.lists(st.tuples(st.sampled_from("+- "), st.text(alphabet="def ab(=.")), min_size=1, max_size=12),
    st.text(alphabet="ab.(", max_size=4),
    st.integers(0, 3),
)
def test_any_hunk_and_any_symbol_have_an_anchor(
    lines: list[tuple[str, str]], symbol: str, start: int
) -> None:
    change = a_change([a_file("a.py", a_hunk(*(mark + text for mark, text in lines), start=start))])
    place = changed_place(change, Cause(file="a.py", symbol=symbol))
    assert place is not None
    assert place.anchor in place.lines
    assert head_line(place, change) >= 1


def test_a_symbol_in_a_hunk_of_a_hundred_thousand_lines_is_found() -> None:
    lines = ["+x = 1"] * 100_000
    lines[70_000] = "+def price_of(item):"
    assert anchor_of(*lines) == ("+", 70_001)
