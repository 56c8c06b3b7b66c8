"""Results on disk: found again, never half written, bounded, and a miss when broken."""

import os

from affidavit.analysers.task import Kept, ResultCache, cache_key
from affidavit.records.evidence import AnalyserDiagnostic, SearchHit, Unread

FOUND = AnalyserDiagnostic(
    rule="ruff/F821",
    message="Undefined name `é`",
    path="a b/ü.py",
    line=3,
    column=1,
    related=(SearchHit(path="c.py", line=1, text="def c"),),
)
KEPT = Kept([FOUND], [Unread(path="d.py", why="unreadable", detail="no UTF-8")])
NOTHING = Kept([], [])


def test_a_result_is_found_again(tmp_path):
    ResultCache(tmp_path).save("key", KEPT)
    assert ResultCache(tmp_path).load("key") == KEPT


def test_an_empty_result_is_a_result(tmp_path):
    cache = ResultCache(tmp_path)
    cache.save("key", NOTHING)
    assert cache.load("key") == NOTHING
    assert cache.load("other") is None


def test_without_a_folder_nothing_is_kept():
    cache = ResultCache(None)
    cache.save("key", KEPT)
    assert cache.load("key") is None


def test_a_broken_file_is_a_miss(tmp_path):
    cache = ResultCache(tmp_path)
    cache.save("key", KEPT)
    place = tmp_path / "analysers" / "key.json"
    broken = ("", "{", "[]", '{"diagnostics": 1}', '{"diagnostics": [{"rule": 1}]}', "\x00", '"x"')
    for text in (*broken, '{"diagnostics": []}'):
        place.write_text(text)
        assert cache.load("key") is None, text


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    cache = ResultCache(blocked)
    cache.save("key", KEPT)
    assert cache.load("key") is None


def test_what_was_not_used_for_longest_goes_first(tmp_path):
    ResultCache(tmp_path).save("key0", KEPT)
    size = (tmp_path / "analysers" / "key0.json").stat().st_size
    cache = ResultCache(tmp_path, max_bytes=4 * size)
    for number in range(4):
        cache.save(f"key{number}", KEPT)
        os.utime(tmp_path / "analysers" / f"key{number}.json", (number, number))
    cache.save("last", KEPT)
    assert cache.load("key0") is None
    assert cache.load("last") == KEPT


def test_no_temporary_file_is_left(tmp_path):
    ResultCache(tmp_path).save("key", KEPT)
    assert [place.name for place in (tmp_path / "analysers").iterdir()] == ["key.json"]


def test_keys_differ_where_anything_differs():
    keys = {cache_key("ruff", "1.0", ["a"]), cache_key("ruff", "1.1", ["a"]), cache_key("ruff", "1.0", ["b"])}
    assert len(keys) == 3
