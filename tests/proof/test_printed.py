"""What a program printed cannot pass for what we say of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.proof.running.outputs import BAR, both_ends, printed_lines


@given(st.text())
def test_every_line_of_an_output_stands_behind_a_bar(output: str) -> None:
    shown = printed_lines(output, most=10**6)
    assert all(line.startswith(BAR) for line in "\n".join(shown).splitlines())


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\v", "\f", "\x85", "\u2028", "\u2029"])
def test_whatever_may_end_a_line_ends_one(end: str) -> None:
    assert printed_lines(f"a{end}at head: exit code 0") == ["| a", "| at head: exit code 0"]


def test_of_many_lines_both_ends_are_kept_and_the_others_counted() -> None:
    shown = printed_lines("".join(f"line {number}\n" for number in range(500)), most=30)
    assert (shown[0], shown[-1]) == ("| line 0", "| line 499")
    assert shown[15] == "… 470 lines left out …"
    assert len(shown) == 31


def test_of_a_long_line_both_ends_are_kept() -> None:
    (line,) = printed_lines("a" * 500 + "b" * 500, longest=20)
    assert line == "| aaaaaaaaaa … 980 characters left out … bbbbbbbbbb"


def test_a_few_lines_are_left_as_they_are() -> None:
    assert both_ends(["a", "b"], 2) == ["a", "b"]
