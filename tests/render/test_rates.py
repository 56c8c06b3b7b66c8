"""How rates are written, and that every report carries the headline."""

import html
import json
from io import BytesIO, TextIOWrapper

import pytest
from rich.console import Console

from affidavit.records.measure import Rate
from affidavit.render.account import measured_words, percent, rate_words
from affidavit.render.formats import render
from affidavit.render.terminal import render_terminal
from reports import a_report

KNOWN = Rate(count=4, n=190, share=4 / 190, low=0.0082, high=0.0529)


def test_the_headline_reads_like_this() -> None:
    assert measured_words(KNOWN, "-") == "wrong: 2.1% [0.8-5.3], n=190"
    assert measured_words(None) == "not measured yet"


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.0, "0%"), (0.0004, "<0.1%"), (0.021, "2.1%"), (0.5, "50.0%"), (0.9996, ">99.9%"), (1.0, "100%")],
)
def test_what_happened_never_reads_as_never_nor_what_failed_as_always(share: float, words: str) -> None:
    assert percent(share) == words


def test_a_rate_of_none_still_says_how_little_is_known() -> None:
    assert rate_words(Rate(count=0, n=3, share=0, low=0, high=0.5616), "-") == "0% [0.0-56.2], n=3"


@pytest.mark.parametrize("name", ["terminal", "markdown", "html", "sarif", "junit", "review-result"])
def test_every_report_carries_a_headline_of_enough_labels(name: str) -> None:
    text = render(a_report().model_copy(update={"measured": KNOWN}), name)
    # JSON and XML are written in ASCII.
    told = html.unescape(text.replace("\\u2013", "\u2013")).replace("\\", "")
    assert "wrong: 2.1% [0.8\u20135.3], n=190" in told


@pytest.mark.parametrize("name", ["terminal", "markdown", "sarif", "junit", "review-result"])
@pytest.mark.parametrize("measured", [None, "too few labels"])
def test_a_rate_of_fewer_than_twenty_labels_is_left_out(name: str, measured: str | None) -> None:
    text = render(a_report().model_copy(update={"measured": measured}), name)
    assert "rror rate" not in text
    assert "measured" not in text
    assert "n=19" not in text


def test_the_native_report_carries_the_numbers() -> None:
    report = a_report().model_copy(update={"measured": KNOWN})
    assert json.loads(render(report, "report"))["measured"]["n"] == 190


def test_a_terminal_without_unicode_gets_a_plain_dash() -> None:
    raw = BytesIO()
    page = TextIOWrapper(raw, encoding="ascii", errors="strict")
    console = Console(file=page, width=80)
    render_terminal(a_report().model_copy(update={"measured": KNOWN}), console=console)
    page.flush()
    assert "[0.8-5.3]" in raw.getvalue().decode("ascii")
