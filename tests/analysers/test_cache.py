"""Results on disk: found again, and a miss when broken."""

from affidavit.analysers.engine.task import FORMAT, KIND, Kept, ResultCache, cache_key
from affidavit.git.blob_cache import BlobCache
from affidavit.records.evidence import AnalyserDiagnostic, SearchHit, Unread

FOUND = AnalyserDiagnostic(
    rule="ruff/F821",
    message="Undefined name `é`",
    path="a b/ü.py",
    line=3,
    column=1,
    related=(SearchHit(path="c.py", line=1, text="def c"),),
)
KEPT = Kept(diagnostics=(FOUND,), unread=(Unread(path="d.py", why="unreadable", detail="no UTF-8"),))
NOTHING = Kept(diagnostics=(), unread=())


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


def test_a_broken_result_is_a_miss(tmp_path):
    broken = ("", "{", "[]", '{"diagnostics": 1}', '{"diagnostics": [{"rule": 1}]}', "\x00", '"x"')
    for text in (*broken, '{"diagnostics": []}'):
        BlobCache(tmp_path).save(KIND, FORMAT, {"key": text.encode()})
        assert ResultCache(tmp_path).load("key") is None, text


def test_a_result_with_a_path_that_is_no_text_is_not_kept(tmp_path):
    odd = Kept(diagnostics=(FOUND.model_copy(update={"path": "\udcff.py"}),), unread=())
    ResultCache(tmp_path).save("key", odd)
    assert ResultCache(tmp_path).load("key") is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    cache = ResultCache(blocked)
    cache.save("key", KEPT)
    assert cache.load("key") is None


def test_keys_differ_where_anything_differs():
    keys = {cache_key("ruff", "1.0", ["a"]), cache_key("ruff", "1.1", ["a"]), cache_key("ruff", "1.0", ["b"])}
    assert len(keys) == 3
