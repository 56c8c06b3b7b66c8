"""The measures of an installation, written for a terminal."""

from io import BytesIO, StringIO, TextIOWrapper

import pytest
from rich.console import Console

from affidavit.cli.quality import render_quality
from affidavit.quality.statistics import rate_of
from affidavit.records.measure import Absences, Fates, Mistake, Quality, RateGroup, Spread

HOSTILE = "\x1b[31m\u202e<script>alert(1)</script> a|b@team [x](http://evil)"


def a_quality(**fields: object) -> Quality:
    defaults = {
        "reports": 3,
        "first": "2026-01-10",
        "last": "2026-03-04",
        "shown": 60,
        "labelled": 40,
        "wrong": rate_of(1, 40),
        "nit": rate_of(4, 40),
        "by": {"specialist": (RateGroup(value="ruff", shown=60, wrong=rate_of(1, 40), nit=rate_of(4, 40)),)},
        "quotes_found": rate_of(9, 10),
        "absences": Absences(shown=2, searched=rate_of(2, 2)),
        "fates": Fates(
            candidates=80, shown=60, dropped=1, refuted=5, unverified=2, withheld={"refuted": 5, "nit": 14}
        ),
        "duration_ms": Spread(n=3, total=3_903_000, median=61_000),
        "cost_usd": Spread(n=3, total=0.6, median=0.2),
        "tokens": Spread(n=3, total=90_000, median=30_000),
    }
    return Quality.model_validate({**defaults, **fields})


def printed(quality: Quality, width: int = 110) -> str:
    page = StringIO()
    render_quality(quality, console=Console(file=page, width=width, color_system=None))
    return page.getvalue()


def test_the_terminal_reads_like_this() -> None:
    lines = [line.rstrip() for line in printed(a_quality()).split("\n")]
    for line in (
        "3 reviews, 2026-01-10 \u2013 2026-03-04",
        "wrong       2.5% [0.4\u201312.9], n=40",
        "nit         10.0% [4.0\u201323.1], n=40",
        "labelled    40 of 60 shown findings",
        "  ruff      60         40   2.5% [0.4\u201312.9]   10.0%",
        "quotes      90.0% of 10 found in the named file",
        "absences    100% of 2 shown claims searched",
        "candidates  80, of which 60 shown, 2 unverified",
        "withheld    5 refuted, 14 nit",
        "seconds     median 61.0, total 3903.0, 3 reviews",
        "USD         median 0.2000, total 0.6000, 3 reviews",
    ):
        assert line in lines


def test_without_labels_the_text_says_so_and_how_to_begin() -> None:
    text = printed(a_quality(wrong=None, nit=None, labelled=0))
    assert "not measured yet" in text
    assert "affidavit label" in " ".join(text.split())


def test_few_labels_draw_a_warning_and_many_do_not() -> None:
    assert "Only 29 labels" in printed(a_quality(wrong=rate_of(0, 29), labelled=29))
    assert "Only" not in printed(a_quality(wrong=rate_of(0, 30), labelled=30))


def test_an_absence_claim_that_was_not_searched_is_an_alarm_on_top() -> None:
    quality = a_quality(
        absences=Absences(shown=2, searched=rate_of(1, 2), unsearched=("r1 logic-0",), withheld=3)
    )
    text = printed(quality)
    assert text.index("ALARM") < text.index("2.5%")
    assert "r1 logic-0" in text
    assert "ALARM" not in printed(a_quality())


def test_mistakes_are_listed_with_their_reason_and_the_rest_is_counted() -> None:
    mistakes = tuple(
        Mistake(
            report_id=f"r{number}",
            candidate_id="x",
            specialist="logic",
            title=f"Title {number}",
            place="app.py:2",
            why="checked above",
        )
        for number in range(12)
    )
    text = printed(a_quality(mistakes=mistakes))
    assert "Title 0 (app.py:2, logic): checked above" in text
    assert "Title 11" not in text
    assert "2; --format json lists all" in text


def test_what_is_withheld_and_valid_is_told() -> None:
    quality = a_quality(withheld_labelled=3, withheld_valid=1)
    assert "1 of 3 labelled withheld findings valid" in printed(quality)


def test_reviews_without_a_known_price_are_counted() -> None:
    assert "2 reviews with models of unknown price" in printed(a_quality(unpriced=2))


def test_hostile_names_do_nothing_anywhere() -> None:
    mistake = Mistake(
        report_id=HOSTILE, candidate_id=HOSTILE, specialist=HOSTILE, title=HOSTILE, place=HOSTILE, why=HOSTILE
    )
    quality = a_quality(
        mistakes=(mistake,),
        by={"model": (RateGroup(value=HOSTILE, shown=1, wrong=rate_of(1, 1)),)},
        absences=Absences(shown=1, searched=rate_of(0, 1), unsearched=(HOSTILE,)),
    )
    text = printed(quality)
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_a_terminal_that_knows_ascii_only_gets_ascii_only() -> None:
    raw = BytesIO()
    page = TextIOWrapper(raw, encoding="ascii", errors="strict")
    render_quality(a_quality(), console=Console(file=page, width=110))
    page.flush()
    assert "| ruff " in raw.getvalue().decode("ascii")


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    assert max(len(line) for line in printed(a_quality(), width).split("\n")) <= max(width, 30)


def test_an_empty_installation_is_written() -> None:
    text = printed(Quality())
    assert "0 reviews" in text
    assert "not measured yet" in text
