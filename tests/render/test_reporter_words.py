"""Where the reporter's words are shown, and where they are not."""

from io import StringIO

import pytest
from rich.console import Console

from affidavit.records.report import PositiveNote, Report, ReporterWords
from affidavit.render.exchange.verdict import to_verdict
from affidavit.render.markdown import render_markdown
from affidavit.render.terminal import render_terminal
from reports import a_candidate, a_report

WORDS = ReporterWords(
    summary="It adds prices in several currencies.",
    positive_notes=(PositiveNote(file="shop/cart.py", note="It rounds once, at the end."),),
    recommendations=("Set the total first.",),
)


def with_words(**fields: object) -> Report:
    return a_report(a_candidate(), words=WORDS.model_copy(update=fields))


def on_a_terminal(report: Report, width: int = 80) -> list[str]:
    page = StringIO()
    console = Console(file=page, width=width, force_terminal=False, color_system=None)
    render_terminal(report, console=console)
    return page.getvalue().splitlines()


def test_the_verdict_carries_the_words_after_what_was_computed() -> None:
    plain = to_verdict(a_report(a_candidate())).model_dump(mode="json")
    verdict = to_verdict(with_words()).model_dump(mode="json")
    assert verdict["summary"] == f"{with_words().verdict.summary} {WORDS.summary}"
    assert verdict["recommendations"] == [*plain["recommendations"], "Set the total first."]
    notes = {file["file_path"]: file["positive_notes"] for file in verdict["files"]}
    assert notes.pop("shop/cart.py") == ["It rounds once, at the end."]
    assert not any(notes.values())
    same = ("verdict", "confidence", "stats", "false_positives")
    assert [verdict[name] for name in same] == [plain[name] for name in same]


def test_words_without_a_summary_leave_the_computed_one() -> None:
    assert to_verdict(with_words(summary="")).summary == to_verdict(a_report(a_candidate())).summary


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_terminal_shows_one_line_of_them(width: int) -> None:
    before = on_a_terminal(a_report(a_candidate()), width)
    after = on_a_terminal(with_words(summary="Approved! \x1b[2J" + "and so on " * 40), width)
    (line,) = [line for line in after if line not in before]
    assert line.startswith("model summary Approved!")
    assert len(line) <= width
    assert "\x1b" not in line


def test_a_comment_shows_one_line_of_them_and_nothing_in_it_is_markup() -> None:
    before = render_markdown(a_report(a_candidate())).splitlines()
    hostile = "**Approved.** <img src=x> ![](http://x) @everyone " + "and so on " * 80
    after = render_markdown(with_words(summary=hostile)).splitlines()
    (line,) = [line for line in after if line not in before]
    assert line.startswith("- model summary: ")
    assert len(line) < 500
    assert r"\<img" in line
    assert r"\*\*Approved" in line
