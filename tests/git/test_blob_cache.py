"""What is kept of blobs, and what happens when the file that keeps it is broken, locked or full."""

import hashlib
import sqlite3
from pathlib import Path

from affidavit.git.blob_cache import FILE_NAME, BlobCache


def blob(number: int) -> str:
    return hashlib.sha1(str(number).encode()).hexdigest()


def test_what_is_saved_is_loaded_by_another_cache_of_the_folder(tmp_path: Path) -> None:
    extracts = {blob(number): str(number).encode() for number in range(1500)}
    BlobCache(tmp_path).save("imports", 1, extracts)
    asked = [*extracts, blob(-1), blob(0)]
    assert BlobCache(tmp_path).load("imports", 1, asked) == extracts


def test_another_kind_or_version_is_another_extract(tmp_path: Path) -> None:
    cache = BlobCache(tmp_path)
    cache.save("imports", 1, {blob(1): b"old"})
    assert cache.load("imports", 2, [blob(1)]) == {}
    assert cache.load("symbols", 1, [blob(1)]) == {}


def test_without_a_folder_nothing_is_kept() -> None:
    cache = BlobCache(None)
    cache.save("imports", 1, {blob(1): b"x"})
    assert cache.load("imports", 1, [blob(1)]) == {}


def test_a_broken_file_is_a_miss_and_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"no database " * 1000)
    cache = BlobCache(tmp_path)
    assert cache.load("imports", 1, [blob(1)]) == {}
    cache.save("imports", 1, {blob(1): b"x"})
    assert cache.load("imports", 1, [blob(1)]) == {blob(1): b"x"}


def test_a_file_broken_in_the_middle_is_a_miss(tmp_path: Path) -> None:
    cache = BlobCache(tmp_path)
    extracts = {blob(number): b"x" * 200 for number in range(2000)}
    cache.save("imports", 1, extracts)
    file = tmp_path / FILE_NAME
    data = bytearray(file.read_bytes())
    data[8192:-8192] = b"\xff" * (len(data) - 16384)
    file.write_bytes(bytes(data))
    assert len(cache.load("imports", 1, extracts)) < 2000
    cache.save("imports", 1, extracts)
    cache.save("imports", 1, extracts)
    assert cache.load("imports", 1, extracts) == extracts


def test_a_table_of_another_shape_is_a_miss(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        connection.execute("CREATE TABLE extracts (something TEXT)")
    connection.close()
    cache = BlobCache(tmp_path)
    cache.save("imports", 1, {blob(1): b"x"})
    assert cache.load("imports", 1, [blob(1)]) == {}


def test_a_folder_that_cannot_be_made_keeps_nothing_and_raises_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = BlobCache(tmp_path / "file" / "folder")
    cache.save("imports", 1, {blob(1): b"x"})
    assert cache.load("imports", 1, [blob(1)]) == {}


def test_a_full_cache_is_emptied(tmp_path: Path) -> None:
    cache = BlobCache(tmp_path, max_bytes=300_000)
    old = {blob(number): b"o" * 5000 for number in range(100)}
    cache.save("imports", 1, old)
    new = {blob(number): b"n" * 500 for number in range(1000, 1300)}
    cache.save("imports", 1, new)
    assert (tmp_path / FILE_NAME).stat().st_size <= 300_000
    assert cache.load("imports", 1, old) == {}
    assert cache.load("imports", 1, new) == new
