"""How a format is named, and what each one writes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings

from affidavit.records.candidate import Withheld
from affidavit.records.diagnostics import Reason
from affidavit.records.report import Report
from affidavit.render.formats import FORMATS, FormatRequest, RenderOptions, parse_format, render
from hostile import hostile_reports
from reports import a_full_report, a_report


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        ("report", FormatRequest("report")),
        ("verdict=out.json", FormatRequest("verdict", path=Path("out.json"))),
        ("review-result", FormatRequest("review-result", "1.1")),
        ("review-result@1.0=FILE", FormatRequest("review-result", "1.0", Path("FILE"))),
        ("markdown=a=b@c", FormatRequest("markdown", path=Path("a=b@c"))),
        ("report=-", FormatRequest("report")),
    ],
)
def test_a_format_is_read(text: str, request_: FormatRequest) -> None:
    assert parse_format(text) == request_


@pytest.mark.parametrize("text", ["", "nope", "=x", "Report", "nope=FILE", "@1.0"])
def test_an_unknown_format_names_the_known_ones(text: str) -> None:
    with pytest.raises(ValueError, match=r"known: terminal, report, review-result \(@1\.1, @1\.0\), verdict"):
        parse_format(text)


@pytest.mark.parametrize("text", ["review-result@2.0", "review-result@", "verdict@1.0"])
def test_an_unknown_version_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="has no version"):
        parse_format(text)


@pytest.mark.parametrize("text", ["report=", "report= "])
def test_a_format_without_the_file_it_announces_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="write report=FILE"):
        parse_format(text)


def test_the_native_report_comes_back_whole() -> None:
    report = a_full_report()
    assert Report.model_validate_json(render(report, "report")) == report


def test_the_same_report_is_written_the_same_way() -> None:
    text = render(a_full_report(), "report")
    assert render(Report.model_validate_json(text), "report") == text


@settings(deadline=None)  # the first example pays for imports
@given(hostile_reports())
def test_any_text_is_ascii_where_promised_and_comes_back(report: Report) -> None:
    for name, chosen in FORMATS.items():
        text = render(report, name, RenderOptions(show_withheld=True, show_nits=True))
        assert text.endswith("\n")
        assert text.isascii() or chosen.ending in (".txt", ".md", ".html")
        if chosen.ending in (".json", ".sarif"):
            assert isinstance(json.loads(text), dict | list)
    assert Report.model_validate_json(render(report, "report")) == report


def test_the_version_that_was_asked_for_is_written() -> None:
    assert json.loads(render(a_report(), "review-result@1.0"))["schema_version"] == "1.0"
    assert json.loads(render(a_report(), "review-result"))["schema_version"] == "1.1"


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "report"])
def test_what_a_finding_stands_for_can_be_read_under_it_in_every_format(name: str) -> None:
    report = a_full_report()
    leader = report.shown[0]
    assert leader.finding is not None
    other = leader.model_copy(
        update={
            "id": "quality-7",
            "specialist": "quality",
            "kind": "model",
            "judgements": (),
            "finding": leader.finding.model_copy(update={"title": "Nobody would notice", "rule_id": None}),
            "withheld": Withheld(code=Reason.DUPLICATE_OF, detail=leader.id),
        }
    )
    with_other = report.model_copy(update={"candidates": (*report.candidates, other)})
    text = " ".join(render(with_other, name).split())
    assert "Nobody would notice (not verified separately)" in text


def test_what_the_reader_asked_to_see_reaches_the_format() -> None:
    assert "in line 3" not in render(a_full_report(), "terminal")
    assert "in line 3" in render(a_full_report(), "terminal", RenderOptions(show_withheld=True))
    assert "in line 3" in render(a_full_report(), "markdown", RenderOptions(show_withheld=True))


def test_a_verdict_does_not_load_the_terminal() -> None:
    code = (
        "import sys; import affidavit.render.formats, affidavit.render.exchange.verdict;"
        "import affidavit.render.markdown;"
        "sys.exit(any(name in sys.modules for name in ('rich', 'pygments')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
