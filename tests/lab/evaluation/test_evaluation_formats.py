"""Evaluations as text, markdown and a page: every case is open to the proof, and nothing of it is obeyed."""

from html.parser import HTMLParser
from io import BytesIO, StringIO, TextIOWrapper
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.console import Console

from affidavit.lab.evaluation.view.markdown import comparison_markdown, evaluation_markdown
from affidavit.lab.evaluation.view.page import comparison_page, evaluation_page
from affidavit.lab.evaluation.view.text import render_comparison, render_evaluation
from affidavit.records.diagnostics import Reason
from affidavit.records.lab.evaluation import (
    Case,
    CaseChange,
    CaseResult,
    CaseRun,
    Comparison,
    Evaluation,
    ExpectedProblem,
    Match,
    Miss,
    NearMiss,
    ScoredFinding,
    ScoreDifference,
    Scores,
    Seen,
)
from affidavit.records.measure import Interval, Rate
from affidavit.records.report import Report
from hostile import hostile_reports, some_text
from reports import a_candidate, a_finding, a_report, a_withheld

INVISIBLE = ("\x1b", "\u202e", "\u200b", "\x07", "\r")


def a_scored(report: Report, number: int = 0, **fields: Any) -> ScoredFinding:
    candidate = report.candidates[number]
    assert candidate.finding is not None
    told = {
        "candidate": candidate.id,
        "fingerprint": candidate.fingerprint,
        "title": candidate.finding.title,
        "file": candidate.finding.file,
        "line": candidate.finding.line,
        "severity": candidate.finding.severity,
        "category": candidate.finding.category,
        "specialist": candidate.specialist,
        "outcome": "true",
        "why": "the same place",
    }
    return ScoredFinding(**{**told, **fields})


def an_evaluation(report: Report, text: str = "The total is never set", **fields: Any) -> Evaluation:
    """One problem found, one missed beside a withheld finding; one wrong finding; one case not run."""
    expected = (
        ExpectedProblem(file="shop/cart.py", line=12, description=text),
        ExpectedProblem(file="shop/cart.py", line=80, description=f"second {text}"),
    )
    sides = {"repository": "../r", "base": "base", "head": "head"}
    bug = Case(id=f"bug {text}", title=text, description=text, language=text, expected=expected, **sides)
    run = CaseRun(
        number=1,
        report_id=report.id,
        matches=(Match(expected=0, candidate=report.candidates[0].id, basis="place", distance=0),),
        findings=(a_scored(report, expected=0),),
        misses=(
            Miss(expected=1, near=(NearMiss(candidate="x", title=text, withheld=Reason.REFUTED, why=text),)),
        ),
        incomplete=(text,),
    )
    wrong = CaseRun(number=1, report_id=report.id, findings=(a_scored(report, outcome="wrong", why=text),))
    told: dict[str, Any] = {
        "affidavit_version": "1.0",
        "created_at": "2026-01-01",
        "prompt_version": "1.0.0",
        "cases": 2,
        "clean_cases": 1,
        "expected": 2,
        "found": 1,
        "recall": 0.5,
        "recall_interval": Rate(count=1, n=2, share=0.5, low=0.095, high=0.905),
        "not_run": 1,
        "models": {"verifier": text},
        "judge": text,
        "by_language": {text: Scores(cases=1)},
        "by_category": {"security": Scores(cases=1)},
        "stability": (Seen(times=1, findings=1, expected=1),),
        "results": (
            CaseResult(case=bug, runs=(run,)),
            CaseResult(case=Case(id=f"clean {text}", clean=True, **sides), runs=(wrong,)),
            CaseResult(case=Case(id=f"lost {text}", clean=True, **sides), failure=text),
        ),
    }
    return Evaluation(**{**told, **fields})


def reports_of(evaluation: Evaluation, report: Report) -> dict[tuple[str, int], Report]:
    return {(one.case.id, run.number): report for one in evaluation.results for run in one.runs}


def a_comparison(text: str = "other") -> Comparison:
    return Comparison(
        first={"verifier model": text},
        second={"verifier model": "second"},
        cases=3,
        left_out={text: text},
        scores_first=Scores(recall=0.25),
        scores_second=Scores(recall=0.5),
        differences=(
            ScoreDifference(
                name="recall", what="found", interval=Interval(estimate=0.25, low=-0.1, high=0.6)
            ),
            ScoreDifference(name="wrong_rate", what="wrong", interval=None),
        ),
        changes=(
            CaseChange(
                case=text,
                gained=(ExpectedProblem(file=text, line=3, description=text),),
                wrong_gained=(text,),
            ),
        ),
    )


def plain_report() -> Report:
    return a_report(a_candidate(0), a_withheld(1, Reason.REFUTED, "it cannot happen"))


def as_text(evaluation: Evaluation, width: int = 100) -> str:
    page = StringIO()
    console = Console(file=page, width=width, force_terminal=False, color_system=None)
    render_evaluation(evaluation, console=console)
    return page.getvalue()


class Page(HTMLParser):
    """The tags, addresses and ids of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        assert not [name for name, _ in attrs if name.startswith("on")]


def test_the_text_tells_found_missed_near_wrong_and_not_run() -> None:
    told = " ".join(as_text(an_evaluation(plain_report())).split())
    assert "recall 50.0% [9.5–90.5], n=2 (1 of 2 expected problems found)" in told  # noqa: RUF001
    assert "found: shop/cart.py:12 The total is never set ← shop/cart.py:12 ruff: `total` is not" in told
    assert "missed: shop/cart.py:80 second The total is never set" in told
    assert "near: The total is never set (withheld as refuted: The total is never set)" in told
    assert "wrong: shop/cart.py:12 ruff: `total` is not defined" in told
    assert "failure: The total is never set" in told
    assert "1 case could not be run: no score counts it" in told


def test_a_long_list_of_cases_ends_with_the_scores() -> None:
    few = an_evaluation(plain_report())
    case = few.results[0]
    others = [
        case.model_copy(update={"case": case.case.model_copy(update={"id": str(n)})}) for n in range(11)
    ]
    many = few.model_copy(update={"results": tuple(others)})
    last = " ".join(as_text(many, width=300).splitlines()[-1].split())
    assert last.startswith("recall 50.0% [9.5\u201390.5], n=2; precision -; f1 -;")
    assert not as_text(few, width=300).splitlines()[-1].startswith("recall")


def test_a_narrow_terminal_gets_every_number() -> None:
    wide, narrow = (as_text(an_evaluation(plain_report()), width) for width in (100, 50))
    assert max(map(len, narrow.splitlines())) <= 50
    assert "\N{HORIZONTAL ELLIPSIS} " not in wide.partition("Cases")[0] + narrow.partition("Cases")[0]
    assert "- security: cases 1, recall -, found 0/0, precision -, true 0, wrong 0, on clean 0" in " ".join(
        narrow.split()
    )
    page = StringIO()
    render_comparison(a_comparison(), console=Console(file=page, width=50, color_system=None))
    assert "- found: first 25.0%, second 50.0%, difference, 95% interval +25.0 points [-10.0 to +60.0]" in (
        " ".join(page.getvalue().split())
    )


def test_a_terminal_without_dashes_and_arrows_gets_plain_signs() -> None:
    page = TextIOWrapper(BytesIO(), encoding="ascii")
    console = Console(file=page, width=100, force_terminal=False, color_system=None)
    render_evaluation(an_evaluation(plain_report()), console=console)
    page.seek(0)
    told = " ".join(page.read().split())
    assert "50.0% [9.5-90.5], n=2" in told
    assert "The total is never set <- shop/cart.py:12" in told
    assert "\\u" not in told


def test_without_clean_cases_nothing_is_said_of_them() -> None:
    told = a_comparison().model_copy(
        update={"differences": (ScoreDifference(name="clean_cases_with_wrong", what="clean", interval=None),)}
    )
    assert "| clean | \\- | \\- | not measurable |" in comparison_markdown(told)


def test_the_page_opens_every_case_to_its_proof() -> None:
    report = plain_report()
    evaluation = an_evaluation(report)
    page = evaluation_page(evaluation, reports_of(evaluation, report))
    assert page.count("ruff 0.17.4 reports F821 at head and not at base") >= 2
    assert "it cannot happen" in page
    assert "The total is never set" in page
    ids = Page(page).ids
    assert len(ids) == len(set(ids))
    assert {"case-1", "case-2", "case-3"} <= set(ids)


def test_a_case_whose_report_is_gone_is_still_told_of() -> None:
    evaluation = an_evaluation(plain_report())
    assert "second The total is never set" in evaluation_page(evaluation, {})


def test_a_comparison_tells_differences_changes_and_what_was_left_out() -> None:
    page = StringIO()
    render_comparison(a_comparison(), console=Console(file=page, width=120, color_system=None))
    for text in (page.getvalue(), comparison_markdown(a_comparison()), comparison_page(a_comparison())):
        assert "+25.0 points" in text
        assert "may be chance" in text
        assert "not measurable" in text
        assert "found now: other:3 other" in text
        assert "other" in text


def test_a_difference_without_an_interval_is_not_said_to_be_certain() -> None:
    same = Scores(precision=1.0)
    told = a_comparison().model_copy(
        update={
            "scores_first": same,
            "scores_second": same,
            "differences": (ScoreDifference(name="precision", what="true", interval=None),),
        }
    )
    assert "too few cases differ for an interval" in comparison_markdown(told)


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (1, ["1 case could not be run: no score counts it", "1 finding has no label"]),
        (2, ["2 cases could not be run: no score counts them", "2 findings have no label"]),
    ],
)
def test_notices_count_in_plain_english(count: int, said: list[str]) -> None:
    evaluation = an_evaluation(plain_report(), not_run=count, unlabelled=count)
    assert all(sentence in evaluation_markdown(evaluation) for sentence in said)


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=25)
@given(st.data())
def test_no_format_obeys_what_a_change_or_a_case_says(data: st.DataObject) -> None:
    report, text = data.draw(hostile_reports()), data.draw(some_text)
    evaluation = an_evaluation(report, text)
    pages = [evaluation_page(evaluation, reports_of(evaluation, report)), comparison_page(a_comparison(text))]
    for page in map(Page, pages):
        assert not {"script", "img", "iframe", "svg", "object", "form", "base", "link"} & set(page.tags)
        assert all(link.startswith("#") for link in page.links)
    for shown in (*pages, as_text(evaluation), evaluation_markdown(evaluation)):
        assert not [sign for sign in INVISIBLE if sign in shown]


@given(some_text)
def test_markdown_holds_no_link_picture_or_markup_of_a_case(text: str) -> None:
    for written in (
        evaluation_markdown(an_evaluation(plain_report(), text)),
        comparison_markdown(a_comparison(text)),
    ):
        kinds = {
            inner.type
            for token in MarkdownIt("commonmark").enable("table").parse(written)
            for inner in (token, *(token.children or ()))
        }
        assert not kinds & {"html_block", "html_inline", "link_open", "image", "fence"}


@pytest.mark.parametrize("text", ["a | b", "x`y|z`", "|"])
def test_a_bar_does_not_split_a_cell(text: str) -> None:
    written = evaluation_markdown(an_evaluation(plain_report(), by_language={text: Scores(cases=1)}))
    section = written.split("## By language")[1].split("## ")[0]
    rows = [line for line in section.split("\n") if line.startswith("|")]
    assert [row.count("|") for row in rows] == [10, 10, 10]


def test_a_script_in_a_title_is_shown_and_not_run() -> None:
    report = a_report(a_candidate(0, finding=a_finding(title="<script>alert(1)</script>")))
    evaluation = an_evaluation(report)
    assert "<script>alert" not in evaluation_page(evaluation, reports_of(evaluation, report))
