"""What quotes the code under review can be read by the user alone."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from affidavit.analysers.engine.task import Kept, ResultCache
from affidavit.git.blob_cache import BlobCache
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.system.private_files import make_private_file, make_private_folder, write_private_file

FOUND = AnalyserDiagnostic(rule="ruff/F821", message="Undefined name", path="a.py", line=3)


@pytest.fixture(autouse=True)
def lax_umask() -> Iterator[None]:
    """A user whose new files everybody can read and write."""
    before = os.umask(0)
    yield
    os.umask(before)


def mode(place: Path) -> int:
    return stat.S_IMODE(place.stat().st_mode)


def modes(folder: Path) -> tuple[set[int], set[int]]:
    """The modes of all folders and of all files from a folder on."""
    below = list(folder.rglob("*"))
    return (
        {mode(place) for place in (folder, *below) if place.is_dir()},
        {mode(place) for place in below if place.is_file()},
    )


def test_the_caches_are_closed_to_others(tmp_path: Path):
    folder = tmp_path / "home" / "affidavit"
    ResultCache(folder).save("key", Kept(diagnostics=(FOUND,), unread=()))
    BlobCache(folder).save("symbols", 1, {"1" * 40: b"secret"})
    assert {place.name for place in folder.iterdir()} == {"blobs-2.sqlite"}
    assert modes(tmp_path / "home") == ({0o700}, {0o600})


def test_a_cache_that_others_could_read_is_closed_to_them(tmp_path: Path):
    BlobCache(tmp_path).save("symbols", 1, {"1" * 40: b"secret"})
    (tmp_path / "blobs-2.sqlite").chmod(0o644)
    assert BlobCache(tmp_path).load("symbols", 1, ["1" * 40]) == {"1" * 40: b"secret"}
    assert mode(tmp_path / "blobs-2.sqlite") == 0o600


def test_a_folder_that_is_there_stays_as_its_owner_made_it(tmp_path: Path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o750)
    make_private_folder(shared / "deep" / "er")
    assert [mode(place) for place in (shared, shared / "deep", shared / "deep" / "er")] == [
        0o750,
        0o700,
        0o700,
    ]


def test_a_file_that_is_there_keeps_its_content(tmp_path: Path):
    (tmp_path / "kept").write_text("content")
    make_private_file(tmp_path / "kept")
    assert (tmp_path / "kept").read_text() == "content"


def test_a_file_that_cannot_be_put_in_place_leaves_nothing_behind(tmp_path: Path):
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_private_file(tmp_path / "taken", "text")
    assert [place.name for place in tmp_path.iterdir()] == ["taken"]
