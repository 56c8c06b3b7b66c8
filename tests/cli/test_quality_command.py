"""`affidavit quality`, and the headline in a report, as a user meets them."""

import json
from pathlib import Path

import pytest

from affidavit.records.measure import Quality
from affidavit.records.report import Report
from commands import Done, affidavit
from repositories import Repo

BASE = {"app.py": "def add(a, b):\n    return a + b\n"}
HEAD = {"app.py": "def add(a, b):\n    return a + b + d\n"}


def run(repo: Repo, *arguments: str | Path) -> Done:
    return affidavit(*arguments, cwd=repo.path)


def review(repo: Repo, *arguments: str | Path) -> Done:
    done = run(repo, "review", "HEAD", "--analysers-off", "ty,kingfisher", *arguments)
    assert done.code == 1, done.err
    return done


@pytest.fixture
def broken(repo: Repo) -> Repo:
    repo.commit("base", BASE)
    repo.commit("head", HEAD)
    return repo


def test_a_label_is_in_the_next_report_and_its_footer_waits_for_more(broken: Repo) -> None:
    first = review(broken)
    assert "error rate" not in first.out
    report = Report.model_validate_json(review(broken, "--format", "report").out)
    assert report.measured is None
    finding = report.shown[0]
    assert run(broken, "label", report.id, finding.id, "wrong").code == 0
    place = broken.path.parent / "again.json"
    second = review(broken, "--format", f"report={place}")
    assert "error rate" not in second.out
    assert Report.model_validate_json(place.read_bytes()).measured == "too few labels"
    assert run(broken, "recheck", place).code == 0


def test_a_review_that_is_not_kept_has_the_rate_too_and_makes_no_store(broken: Repo, tmp_path: Path) -> None:
    report = Report.model_validate_json(review(broken, "--format", "report").out)
    run(broken, "label", "last", report.shown[0].id, "valid")
    unkept = review(broken, "--format", "report", "--no-store")
    assert Report.model_validate_json(unkept.out).measured == "too few labels"
    nowhere = review(broken, "--format", "report", "--no-store", "--data", tmp_path / "none")
    assert Report.model_validate_json(nowhere.out).measured is None
    assert not (tmp_path / "none").exists()
    kept = review(broken, "--format", "report")
    assert Report.model_validate_json(kept.out).measured == "too few labels"


def test_the_same_finding_of_two_reviews_is_one_in_the_rate(broken: Repo) -> None:
    for _ in range(2):
        review(broken)
        finding = json.loads(run(broken, "label", "last", "--format", "json").out)["findings"][0]
        assert run(broken, "label", "last", finding["id"], "wrong").code == 0
    quality = Quality.model_validate_json(run(broken, "quality", "--format", "json").out)
    assert quality.reports == 2
    assert quality.wrong is not None
    assert quality.wrong.n == 1


def test_quality_is_written_in_every_format(broken: Repo) -> None:
    review(broken)
    for output in ("text", "json"):
        done = run(broken, "quality", "--format", output)
        assert (done.code, done.err) == (0, "")
        assert "ruff" in done.out
    assert "By specialist" in run(broken, "quality").out


def test_the_tables_and_the_time_can_be_chosen(broken: Repo) -> None:
    review(broken)
    done = run(broken, "quality", "--by", "severity", "--by", "month", "--format", "json")
    assert set(json.loads(done.out)["by"]) == {"severity", "month"}
    later = json.loads(run(broken, "quality", "--since", "2999-01-01", "--format", "json").out)
    assert (later["reports"], later["since"]) == (0, "2999-01-01")
    said = " ".join(run(broken, "quality", "--since", "2999-01-01").out.split())
    assert "No shown finding since 2999-01-01 has a label yet." in said


@pytest.mark.parametrize("arguments", [("--since", "yesterday"), ("--by", "moon"), ("--format", "pdf")])
def test_bad_input_is_refused(tmp_path: Path, arguments: tuple[str, str]) -> None:
    done = affidavit("quality", *arguments, cwd=tmp_path)
    assert done.code == 2
    assert arguments[0] in done.err


def test_a_store_that_cannot_be_read_is_said_and_the_review_goes_on(broken: Repo, tmp_path: Path) -> None:
    data = tmp_path / "not-a-store"
    data.mkdir()
    (data / "affidavit.db").write_text("this is no database, whatever its name says" * 50)
    done = review(broken, "--data", data)
    assert "was not kept" in done.err
    assert "changes requested: 1 finding blocks" in done.out
    refused = run(broken, "quality", "--data", data)
    assert refused.code == 2
    assert "cannot be used" in refused.err
