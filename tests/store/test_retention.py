"""Kept reports hold changes as they are: in a folder of the user's alone, and not for ever."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from affidavit.records.measure import Label, LabelEntry
from affidavit.records.report import Report
from affidavit.store.open import open_store
from commands import affidavit
from reports_to_keep import report
from repositories import Repo


def aged(name: str, days: int) -> Report:
    """A report that was kept so many days ago."""
    made = (datetime.now(UTC) - timedelta(days=days)).isoformat()
    return report(name).model_copy(update={"created_at": made})


@pytest.fixture
def data(tmp_path: Path) -> Path:
    with open_store(tmp_path / "data") as store:
        for name, days in (("old", 100), ("month", 40), ("new", 1)):
            store.reports.save(aged(name, days))
    return tmp_path / "data"


def kept(data: Path) -> set[str]:
    with open_store(data) as store:
        return {name for name in store.reports.ids() if name in ("old", "month", "new")}


def review(tmp_path: Path, data: Path, **environment: str) -> str:
    repo = Repo(tmp_path / "repo")
    repo.commit("Start", {"a.txt": "1\n"})
    repo.commit("More", {"a.txt": "2\n"})
    done = affidavit("review", "HEAD", cwd=repo.path, data=data, env=environment)
    assert done.code == 0, done.err
    return done.err


def test_purge_deletes_the_command_lines_reports_that_are_older(data: Path) -> None:
    done = affidavit("purge", "--older-than", "30d", cwd=data, data=data)
    assert (done.code, done.out.split()[0]) == (0, "2"), done
    assert kept(data) == {"new"}
    assert not (data / "work.db").exists()
    assert b"month" not in (data / "affidavit.db").read_bytes()


@pytest.mark.parametrize("wrong", ["", "soon", "-1d", "30h", "9999999d"])
def test_purge_refuses_an_age_that_is_none(data: Path, wrong: str) -> None:
    done = affidavit("purge", "--older-than", wrong, cwd=data, data=data)
    assert done.code == 2
    assert "such as 30d" in done.err
    assert kept(data) == {"old", "month", "new"}


def test_a_review_deletes_reports_of_more_than_ninety_days_ago(tmp_path: Path, data: Path) -> None:
    review(tmp_path, data)
    assert kept(data) == {"month", "new"}


@pytest.mark.parametrize(
    ("chosen", "left"), [("0", {"old", "month", "new"}), ("never", {"old", "month", "new"}), ("30", {"new"})]
)
def test_the_user_says_how_long_reports_are_kept(
    tmp_path: Path, data: Path, chosen: str, left: set[str]
) -> None:
    review(tmp_path, data, AFFIDAVIT_RETENTION_DAYS=chosen)
    assert kept(data) == left


def test_a_retention_that_is_no_number_is_said_and_deletes_nothing(tmp_path: Path, data: Path) -> None:
    said = review(tmp_path, data, AFFIDAVIT_RETENTION_DAYS="soon")
    assert "AFFIDAVIT_RETENTION_DAYS is 'soon'" in said
    assert kept(data) == {"old", "month", "new"}


def test_a_report_that_somebody_labelled_outlives_the_retention_but_no_purge(
    tmp_path: Path, data: Path
) -> None:
    with open_store(data) as store:
        known = store.reports.load("old")
        assert known
        entry = LabelEntry(
            report_id="old", candidate_id=known.candidates[0].id, label=Label.VALID, at="2026-01-01"
        )
        store.labels.add(entry)
    review(tmp_path, data)
    assert kept(data) == {"old", "month", "new"}
    affidavit("purge", "--older-than", "30d", cwd=data, data=data)
    assert kept(data) == {"new"}


def test_an_empty_folder_that_is_to_hold_the_store_is_closed_to_others(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o755)
    (tmp_path / "open").chmod(0o755)
    open_store(tmp_path / "open").reports.count()
    assert (tmp_path / "open").stat().st_mode & 0o777 == 0o700


def test_a_folder_with_files_of_the_users_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own").chmod(0o755)
    (tmp_path / "own" / "notes.txt").write_text("mine")
    open_store(tmp_path / "own").reports.count()
    assert (tmp_path / "own").stat().st_mode & 0o777 == 0o755
