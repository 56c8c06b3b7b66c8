from hypothesis import given
from hypothesis import strategies as st

from affidavit.proof.quotes import QuoteMatch, extend_until_unique, find_quote

LINES = [
    "def f(a):",
    "",
    "    b = a + 1",
    "\treturn  b",
    "",
    "def g(a):",
    "    b = a + 1",
    "    return b * 2",
]


def test_white_space_is_folded_line_by_line() -> None:
    assert find_quote("b = a + 1\n return b", LINES) == [QuoteMatch(3, 4)]


def test_blank_lines_do_not_count() -> None:
    assert find_quote("def f(a):\n    b = a + 1\n\n\n    return b\n", LINES) == [QuoteMatch(1, 4)]


def test_words_are_not_joined_by_folding() -> None:
    assert find_quote("b=a+1", LINES) == []


def test_a_quote_that_stands_twice_is_found_twice() -> None:
    assert find_quote("b = a + 1", LINES) == [QuoteMatch(3, 3), QuoteMatch(7, 7)]


def test_whole_lines_come_before_parts_of_lines() -> None:
    assert find_quote("return b", LINES) == [QuoteMatch(4, 4)]


def test_a_part_of_a_line_is_found_when_no_whole_line_matches() -> None:
    assert find_quote("b * 2", LINES) == [QuoteMatch(8, 8)]


def test_a_quote_may_begin_and_end_inside_a_line() -> None:
    assert find_quote("a + 1\n    return b *", LINES) == [QuoteMatch(7, 8)]


def test_lines_out_of_order_are_not_found() -> None:
    assert find_quote("return b\nb = a + 1", LINES) == []


def test_line_numbers_copied_with_the_code_are_read_past() -> None:
    assert find_quote("6: def g(a):\n7:     b = a + 1", LINES) == [QuoteMatch(6, 7)]


def test_diff_marks_copied_with_the_code_are_read_past() -> None:
    assert find_quote("+def g(a):\n+    b = a + 1", LINES) == [QuoteMatch(6, 7)]


def test_code_that_begins_with_a_minus_is_found_as_it_stands() -> None:
    assert find_quote("-x\n+y", ["-x", "+y"]) == [QuoteMatch(1, 2)]


def test_a_quote_of_nothing_is_found_nowhere() -> None:
    assert find_quote(" \n\n", LINES) == []


def test_a_short_quote_is_extended_until_it_is_unique() -> None:
    assert extend_until_unique(QuoteMatch(7, 7), LINES) == QuoteMatch(6, 8)


def test_a_quote_that_cannot_become_unique_is_extended_only_so_far() -> None:
    assert extend_until_unique(QuoteMatch(50, 50), ["x = 1"] * 100) == QuoteMatch(47, 53)


@given(st.lists(st.text(max_size=12), min_size=1, max_size=30), st.data())
def test_lines_copied_from_a_file_are_always_found_there(lines: list[str], data: st.DataObject) -> None:
    lines = [line.replace("\n", " ") for line in lines]
    start = data.draw(st.integers(1, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    copied = [n for n in range(start, end + 1) if lines[n - 1].strip()]
    found = find_quote("\n".join(lines[start - 1 : end]), lines)
    assert not copied or QuoteMatch(copied[0], copied[-1]) in found


@given(st.text(), st.lists(st.text(max_size=20), max_size=20))
def test_any_quote_gets_an_answer(quote: str, lines: list[str]) -> None:
    assert all(1 <= o.start <= o.end <= len(lines) for o in find_quote(quote, lines))
