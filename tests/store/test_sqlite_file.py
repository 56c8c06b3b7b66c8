import json
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest
from sqlalchemy import select

from affidavit.errors import StoreError
from affidavit.store.open import open_store
from affidavit.store.tables import REPORTS
from commands import AFFIDAVIT
from reports_to_keep import report

FILE = "affidavit.db"


def test_asking_for_a_store_makes_none(tmp_path: Path) -> None:
    assert not open_store(tmp_path / "data").exists()
    assert not (tmp_path / "data").exists()


def test_the_store_is_readable_by_the_user_alone(tmp_path: Path) -> None:
    data = tmp_path / "deep" / "data"
    store = open_store(data)
    with store.database.transaction() as connection:
        connection.execute(select(REPORTS))
        modes = {path.name: path.stat().st_mode & 0o777 for path in (data, *data.iterdir())}
    assert modes.pop("data") == 0o700
    assert set(modes.values()) == {0o600}, modes
    assert f"{FILE}-wal" in modes


def test_a_file_that_is_no_database_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("this is no database, whatever its name says" * 50)
    with pytest.raises(StoreError, match=r"affidavit.db cannot be used: file is not a database$"):
        open_store(tmp_path).reports.save(report())


def test_a_file_with_a_broken_page_is_a_clear_error(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.reports.save(report())
    whole = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with pytest.raises(StoreError, match="cannot be used: database disk image is malformed"):
        store.reports.load("r1")


def test_a_folder_that_is_a_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(StoreError, match="cannot be used"):
        open_store(tmp_path / "data").reports.count()


def test_a_store_that_another_process_keeps_is_said_to_be_held(tmp_path: Path) -> None:
    open_store(tmp_path).reports.save(report())
    other = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store = open_store(tmp_path, busy_seconds=0.1)
    assert store.reports.has("r1")
    with pytest.raises(
        StoreError, match=r"locked by another process.* within 0.1 seconds; try again"
    ) as caught:
        store.reports.save(report("r2"))
    assert caught.value.retryable
    other.execute("COMMIT")
    other.close()
    store.reports.save(report("r2"))


def test_a_store_that_was_removed_is_made_anew(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.reports.save(report())
    for path in tmp_path.iterdir():
        path.unlink()
    assert store.reports.count() == 0


def test_a_folder_with_marks_of_addresses_in_its_name_is_a_folder(tmp_path: Path) -> None:
    odd = tmp_path / "100% of? #1 & co"
    open_store(odd).reports.save(report())
    assert open_store(odd).reports.count() == 1
    assert (odd / FILE).is_file()


def in_a_fixed_folder(folder: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command where the folder cannot be written, not even by the superuser."""
    fixed = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
    unshared = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", fixed, str(folder)]
    if shutil.which("unshare") is None or subprocess.run([*unshared, "true"], check=False).returncode != 0:
        pytest.skip("no folder can be made read-only here: unshare is missing or not allowed")
    return subprocess.run([*unshared, *command], capture_output=True, text=True, check=False)


def test_what_is_kept_can_be_read_where_nothing_can_be_written(tmp_path: Path) -> None:
    open_store(tmp_path).reports.save(report())
    read = in_a_fixed_folder(tmp_path, AFFIDAVIT, "quality", "--format", "json", "--data", tmp_path)
    assert (read.returncode, json.loads(read.stdout)["reports"]) == (0, 1), read.stderr
    shown = report().shown[0].id
    written = in_a_fixed_folder(tmp_path, AFFIDAVIT, "label", "r1", shown, "wrong", "--data", tmp_path)
    assert (written.returncode, "cannot be used: attempt to write" in written.stderr) == (2, True)


def test_an_empty_store_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / FILE).touch()
    read = in_a_fixed_folder(tmp_path, AFFIDAVIT, "quality", "--data", tmp_path)
    assert (read.returncode, "has no tables" in read.stderr) == (2, True), read.stderr
