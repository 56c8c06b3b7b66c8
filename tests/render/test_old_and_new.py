"""Lines that stand beside each other: which of them are old, and which are new."""

from io import StringIO
from typing import Any

from rich.console import Console

from affidavit.records.report import Report
from affidavit.render.changed_lines import LEGEND, is_told_apart, marks_of
from affidavit.render.markdown import render_markdown
from affidavit.render.terminal import render_terminal
from reports import (
    a_candidate,
    a_change,
    a_file,
    a_finding,
    a_hunk,
    a_quote,
    a_report,
    a_verification,
    an_impact_candidate,
)

HUNK = a_hunk(" def add(items):", "-    n = 0", "+    n = 1", "     return n", start=10)
CHANGE = a_change((a_file("shop/cart.py", HUNK),))
AT_HEAD = a_quote(start=10, end=12, code="def add(items):\n    n = 1\n    return n")
AT_BASE = a_quote(start=10, end=12, code="def add(items):\n    n = 0\n    return n", side="base")


def reported(quote: Any) -> Report:
    finding = a_finding(line=11, verification=a_verification(side=quote.side))
    return a_report(a_candidate(0, finding=finding, quote=quote), change=CHANGE)


def printed(report: Report) -> str:
    page = StringIO()
    render_terminal(report, console=Console(file=page, width=80, force_terminal=False, color_system=None))
    return page.getvalue()


def test_a_line_that_the_change_added_is_new_and_one_that_it_removed_is_old() -> None:
    assert marks_of(AT_HEAD, CHANGE) == {11: "+"}
    assert marks_of(AT_BASE, CHANGE) == {11: "-"}


def test_lines_outside_of_the_quote_or_of_the_change_have_no_mark() -> None:
    assert marks_of(AT_HEAD.model_copy(update={"end": 10}), CHANGE) == {}
    assert marks_of(AT_HEAD.model_copy(update={"start": 12}), CHANGE) == {}
    assert marks_of(AT_HEAD.model_copy(update={"file": "other.py"}), CHANGE) == {}


def test_the_terminal_says_which_quoted_line_is_new() -> None:
    assert ("    10     │ def add(items):\n  ▸ 11 new │     n = 1\n    12     │     return n\n") in printed(
        reported(AT_HEAD)
    )


def test_the_terminal_says_which_quoted_line_is_old() -> None:
    assert "  ▸ 11 old │     n = 0\n" in printed(reported(AT_BASE))


def test_a_quote_of_nothing_that_changed_has_no_column_for_it() -> None:
    assert "  ▸ 41 │     return price_of(item)\n" in printed(a_report(an_impact_candidate()))


def test_the_terminal_says_which_line_of_a_cause_is_old_and_which_is_new() -> None:
    said = "    8 old │ def price_of(item):\n    8 new │ def price_of(item, currency):\n"
    assert said in printed(a_report(an_impact_candidate()))


def test_markdown_marks_old_and_new_lines_beside_unchanged_ones_as_a_diff_does() -> None:
    new = "```diff\n def add(items):\n+    n = 1\n     return n\n```"
    old = "```diff\n def add(items):\n-    n = 0\n     return n\n```"
    assert new in render_markdown(reported(AT_HEAD))
    assert old in render_markdown(reported(AT_BASE))


def test_markdown_keeps_the_language_of_a_quote_whose_lines_are_all_new() -> None:
    assert "```python\ndef add(items):" in render_markdown(a_report(a_candidate()))
    whole = a_quote(start=11, end=11, code="    n = 1")
    assert not is_told_apart(marks_of(whole, CHANGE), whole)


def test_markdown_says_what_the_marks_of_a_cause_mean() -> None:
    report = a_report(an_impact_candidate())
    assert f"line 8 ({LEGEND}):" in render_markdown(report)
