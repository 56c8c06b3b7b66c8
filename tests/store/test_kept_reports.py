import json
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from affidavit.config.settings import Settings
from affidavit.errors import StoreError
from affidavit.records.report import Report
from affidavit.stages.report import Proceedings, compile_report
from affidavit.store.reports import SqliteStore
from claims import candidate, change_of
from commands import AFFIDAVIT


def report(review_id: str = "r1", title: str = "A change") -> Report:
    proceedings = Proceedings(review_id=review_id, candidates=[candidate(fingerprint="0123456789abcdef")])
    return compile_report(proceedings, change_of("app.py", title=title), Settings(), [], {})


def test_a_kept_report_comes_back_as_it_was(tmp_path: Path) -> None:
    store, kept = SqliteStore(tmp_path / "deep" / "down"), report()
    store.save_report(kept)
    assert store.load_report("r1") == kept


def test_a_report_kept_twice_is_kept_once(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    store.save_report(report())
    store.save_report(report(title="Again"))
    loaded = store.load_report("r1")
    assert loaded is not None
    assert loaded.change.title == "Again"


def test_an_unknown_report_is_none(tmp_path: Path) -> None:
    assert SqliteStore(tmp_path).load_report("nothing") is None


def test_a_finding_is_found_by_its_fingerprint(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    store.save_report(report())
    found = store.find_fingerprint("0123456789abcdef")
    assert found is not None
    assert (found.title, found.file, found.line) == ("The total is wrong", "app.py", 2)
    assert store.find_fingerprint("f" * 16) is None


def test_the_store_is_readable_by_the_user_alone(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "data")
    store.save_report(report())
    assert store.path.stat().st_mode & 0o077 == 0


def test_a_file_that_is_no_database_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "affidavit.db").write_text("this is no database, whatever its name says" * 50)
    with pytest.raises(StoreError, match="cannot be used"):
        SqliteStore(tmp_path).save_report(report())


def test_a_store_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "affidavit.db") as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(StoreError, match="newer"):
        SqliteStore(tmp_path).save_report(report())


def test_a_finding_that_a_report_no_longer_has_is_forgotten(tmp_path: Path) -> None:
    store, kept = SqliteStore(tmp_path), report()
    store.save_report(kept)
    store.save_report(kept.model_copy(update={"candidates": ()}))
    assert store.find_fingerprint("0123456789abcdef") is None


def test_a_report_that_this_version_cannot_read_is_a_clear_error(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    with store.open() as database:
        database.execute("INSERT INTO reports VALUES ('x', '2026', NULL, 'b', 'h', 'comment', '{}')")
    with pytest.raises(StoreError, match="another version"):
        store.load_report("x")
    assert list(store.each_report()) == [None]


def test_ids_are_found_by_their_beginning_as_it_is_written(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    for review_id in ("a%b", "a_b", "axb"):
        store.save_report(report(review_id))
    assert store.report_ids("a%") == ["a%b"]
    assert set(store.report_ids("a")) == {"a%b", "a_b", "axb"}


def in_a_fixed_folder(folder: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command where the folder cannot be written, not even by the superuser."""
    fixed = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
    unshared = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", fixed, str(folder)]
    if shutil.which("unshare") is None or subprocess.run([*unshared, "true"], check=False).returncode != 0:
        pytest.skip("no folder can be made read-only here: unshare is missing or not allowed")
    return subprocess.run([*unshared, *command], capture_output=True, text=True, check=False)


def test_what_is_kept_can_be_read_where_nothing_can_be_written(tmp_path: Path) -> None:
    SqliteStore(tmp_path).save_report(report())
    read = in_a_fixed_folder(tmp_path, AFFIDAVIT, "quality", "--format", "json", "--data", tmp_path)
    assert (read.returncode, json.loads(read.stdout)["reports"]) == (0, 1), read.stderr
    shown = report().shown[0].id
    written = in_a_fixed_folder(tmp_path, AFFIDAVIT, "label", "r1", shown, "wrong", "--data", tmp_path)
    assert (written.returncode, "cannot be used: attempt to write" in written.stderr) == (2, True)
