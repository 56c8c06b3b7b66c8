"""Smaller points are said in a line each, and can be acted on without opening anything."""

from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from affidavit.forges.posting.actions import PostOptions
from affidavit.forges.posting.summary import SummaryContext, summary_body
from affidavit.records.candidate import Candidate
from affidavit.records.finding import Severity
from affidavit.records.report import Report
from affidavit.render.markdown import render_markdown
from affidavit.render.terminal import render_terminal
from affidavit.render.wording import MAX_SENTENCE_LENGTH, in_a_sentence
from reports import a_candidate, a_finding, a_report

FIRST = "The cart of v2.0 keeps `items` of shop.py, e.g. a refund."
MESSAGE = f"{FIRST} Nobody has seen it yet! It is a pity."


def a_point(message: str = MESSAGE, **fields: Any) -> Candidate:
    finding = a_finding(severity=Severity.LOW, title="A cart is kept", message=message, **fields)
    return a_candidate(0, folded=True, finding=finding)


def printed(report: Report, width: int = 100) -> str:
    page = StringIO()
    render_terminal(report, console=Console(file=page, width=width, force_terminal=False))
    return page.getvalue()


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (MESSAGE, FIRST),
        ("One sentence\nover two lines", "One sentence over two lines"),
        ("What is it? `add` knows.", "What is it?"),
        ("A cart is kept.", ""),
        ("", ""),
    ],
)
def test_its_sentence_is_the_first_of_its_message_unless_the_title_says_it(
    message: str, sentence: str
) -> None:
    assert in_a_sentence(a_point(message)) == sentence


def test_a_long_sentence_is_cut_at_a_word() -> None:
    said = in_a_sentence(a_point("word " * 200))
    assert len(said) <= MAX_SENTENCE_LENGTH
    assert said.endswith("word …")


def test_the_terminal_says_in_a_sentence_what_goes_wrong() -> None:
    text = printed(a_report(a_point()))
    assert f"  low      shop/cart.py:12  A cart is kept\n           {FIRST}\n" in text
    assert "Nobody has seen it" not in text


def test_markdown_says_in_a_sentence_what_goes_wrong() -> None:
    text = render_markdown(a_report(a_point()))
    assert f"- low `shop/cart.py:12` A cart is kept. {FIRST}\n" in text
    assert "Nobody has seen it" not in text


def test_the_posted_summary_says_in_a_sentence_what_goes_wrong() -> None:
    posted = summary_body(a_report(a_point()), SummaryContext(), PostOptions(), 60_000)
    fold = posted.partition("1 smaller point")[2].partition("</details>")[0]
    assert f"A cart is kept. {FIRST} `3f9a1c0be2d4`" in fold
