"""What the options of `affidavit eval` mean."""

from pathlib import Path
from typing import Any

import pytest

from affidavit.errors import SettingsError
from affidavit.lab.commands.options import ScoreLimits, read_limits
from affidavit.lab.commands.screen import parse_outputs
from affidavit.lab.records import Evaluation
from affidavit.quality.statistics import rate_of
from affidavit.render.formats import FormatRequest


def limits(min_recall: str | None = None, max_wrong: str | None = None) -> ScoreLimits:
    return read_limits({"min_recall": min_recall, "max_wrong": max_wrong})


def evaluation(**fields: Any) -> Evaluation:
    return Evaluation(affidavit_version="1", created_at="now", prompt_version="1.0.0", **fields)


@pytest.mark.parametrize("text", ["0.6", "60%", " 60 % "])
def test_a_share_is_written_as_a_number_or_in_percent(text: str) -> None:
    assert limits(min_recall=text).min_recall == pytest.approx(0.6)


def test_a_whole_number_of_wrong_findings_is_a_count_and_anything_else_a_share() -> None:
    assert limits(max_wrong="1") == ScoreLimits(max_wrong=1)
    assert limits(max_wrong="1.0") == ScoreLimits(max_wrong_rate=1.0)
    assert limits(max_wrong="5%") == ScoreLimits(max_wrong_rate=0.05)


@pytest.mark.parametrize("text", ["much", "2", "-0.1", "101%", "nan", "inf", "", "%"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="--min-recall: expected a share"):
        limits(min_recall=text)


@pytest.mark.parametrize("text", ["-1", "1.5", "1e9", "many"])
def test_what_is_neither_count_nor_share_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="--max-wrong: expected"):
        limits(max_wrong=text)


def test_a_score_at_its_limit_keeps_it_and_one_beyond_does_not() -> None:
    assert not limits("0.5").misses(evaluation(recall=rate_of(50, 100)))
    assert limits("0.5").misses(evaluation(recall=rate_of(49, 100)))
    assert not limits(max_wrong="2").misses(evaluation(wrong=2))
    assert limits(max_wrong="2").misses(evaluation(wrong=3))
    assert not limits(max_wrong="0.1").misses(evaluation(wrong_rate=rate_of(10, 100)))
    assert limits(max_wrong="0.1").misses(evaluation(wrong_rate=rate_of(11, 100)))


def test_a_recall_that_was_not_measured_keeps_no_limit() -> None:
    assert limits("0").misses(evaluation(recall=None)) == [
        "recall is not measured, less than --min-recall 0.0%"
    ]


def test_without_labelled_findings_no_share_of_them_is_wrong() -> None:
    assert not limits(max_wrong="0.0").misses(evaluation(wrong_rate=None))


def test_the_text_goes_to_standard_output_unless_another_format_does(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    assert parse_outputs([f"json={file}"]) == [FormatRequest("json", path=file), FormatRequest("text")]
    assert parse_outputs(["json"]) == [FormatRequest("json")]
    assert parse_outputs(["json=-"]) == [FormatRequest("json")]


@pytest.mark.parametrize(
    ("texts", "complaint"),
    [
        (["pdf"], "unknown format 'pdf'; known: text, json"),
        (["json", "text"], "only one format can go to standard output"),
        (["json="], "names no file for JSON; write json=FILE"),
        (["json=nowhere/x.json"], "there is no folder nowhere"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_the_work(
    texts: list[str], complaint: str
) -> None:
    with pytest.raises(SettingsError, match=complaint):
        parse_outputs(texts)


def test_a_folder_is_no_file_to_write(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="is a folder; add a file name"):
        parse_outputs([f"json={tmp_path}"])
