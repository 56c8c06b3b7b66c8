"""The graph as a whole: importers, hostile trees, and what the cache saves."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from affidavit.git.blob_cache import FILE_NAME, BlobCache
from affidavit.git.repository import open_repository
from affidavit.git.tree import GitTree
from affidavit.ports import BlameLine, Entry, LineCommit, always
from affidavit.records.context import Import
from affidavit.records.evidence import SearchHit
from affidavit.symbols.import_graph import import_graph
from import_edges import Graph, pairs, targets, unresolved
from repositories import Repo


class CountingTree:
    """A tree that remembers which files were read."""

    def __init__(self, tree: GitTree) -> None:
        self.revision = tree.revision
        self.was_read: list[str] = []
        self._tree = tree

    def entries(self) -> dict[str, Entry]:
        return self._tree.entries()

    def entry(self, path: str) -> Entry | None:
        return self._tree.entry(path)

    def read(self, path: str) -> bytes | None:
        self.was_read.append(path)
        return self._tree.read(path)

    def lines(self, path: str) -> list[str] | None:
        return self._tree.lines(path)

    def search(
        self,
        pattern: str,
        paths: Sequence[str] = (),
        *,
        is_literal: bool = False,
        is_word: bool = False,
        max_hits: int = 200,
        max_characters: int = 2000,
        counts: Callable[[str], bool] = always,
    ) -> list[SearchHit]:
        return self._tree.search(
            pattern,
            paths,
            is_literal=is_literal,
            is_word=is_word,
            max_hits=max_hits,
            max_characters=max_characters,
            counts=counts,
        )

    def blame(self, path: str, line: int) -> BlameLine | None:
        return self._tree.blame(path, line)

    def line_commit(self, path: str, line: int) -> LineCommit | None:
        return self._tree.line_commit(path, line)


def counting_tree(repo: Repo, commit: str) -> CountingTree:
    with open_repository(repo.path, commit, commit) as opened:
        files = {path: opened.head.read(path) for path in opened.head.entries()}
        tree = CountingTree(opened.head)
    tree.read = lambda path: (tree.was_read.append(path), files[path])[1]  # type: ignore[method-assign]
    return tree


def test_importers_say_where_and_what_they_import(graph: Graph) -> None:
    found = graph({"a.py": "", "b.py": "x = 1\nfrom a import one, two\n", "c.js": "import './a.py';\n"})
    assert found.importers_of("a.py") == (
        Import(path="b.py", line=2, name="a", target="a.py", names=("one", "two")),
        Import(path="c.js", line=1, name="./a.py", target="a.py"),
    )
    assert found.importers_of("b.py") == ()
    assert found.importers_of("nowhere.py") == ()


def test_what_cannot_be_resolved_is_kept(graph: Graph) -> None:
    found = graph({"a.py": "import requests\nimport b\n", "b.py": ""})
    assert unresolved(found) == ["requests"]


def test_cyclic_imports_end(graph: Graph) -> None:
    found = graph({"a.py": "import b\n", "b.py": "import c\n", "c.py": "import a\nimport c\n"})
    assert [each.path for each in found.importers_of("c.py")] == ["b.py"]


def test_links_are_never_followed(repo: Repo, graph: Graph) -> None:
    (repo.path / "outside.py").symlink_to("/etc/passwd")
    (repo.path / "inside.py").symlink_to("real.py")
    (repo.path / "folder").symlink_to("/")
    found = graph(
        {"real.py": "import outside\n", "m.py": "import outside, inside, folder.etc\nimport real\n"}
    )
    assert targets(found, "m.py") == [None, None, None, "real.py"]
    assert found.imports_of("inside.py") == ()


def test_a_submodule_is_no_folder(repo: Repo) -> None:
    first = repo.commit("A file", {"m.py": "import sub.x\nimport sub\n"})
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{first},sub")
    repo.git("commit", "-q", "-m", "A submodule")
    commit = repo.git("rev-parse", "HEAD")
    with open_repository(repo.path, commit, commit) as opened:
        assert targets(import_graph(opened.head), "m.py") == [None, None]


def commit_of_blobs(repo: Repo, rows: Sequence[tuple[str, str]]) -> str:
    """Commit many paths without writing as many files: (path, content)."""
    contents = {content for _, content in rows}
    blobs = {each: repo.git("hash-object", "-w", "--stdin", stdin=each.encode()) for each in contents}
    listed = "".join(f"100644 {blobs[content]}\t{path}\n" for path, content in rows)
    repo.git("update-index", "--add", "--index-info", stdin=listed.encode())
    repo.git("commit", "-q", "-m", "Many files")
    return repo.git("rev-parse", "HEAD")


@pytest.mark.parametrize(
    ("ending", "content"),
    [
        ("py", "import m5\nimport m6\n"),
        ("java", "package a;\nimport a.*;\nimport a.m5;\n"),
        ("go", 'package a\nimport "example.org/a"\n'),
        ("h", '#include "m5.h"\n#include <other.h>\n'),
    ],
)
def test_ten_thousand_files_in_one_folder_are_no_trouble(repo: Repo, ending: str, content: str) -> None:
    rows = [(f"a/m{number}.{ending}", content) for number in range(10_000)]
    commit = commit_of_blobs(repo, [("go.mod", "module example.org\n"), *rows])
    with open_repository(repo.path, commit, commit) as opened:
        found = import_graph(opened.head)
        assert len(found.importers_of(f"a/m5.{ending}")) >= 9_999


def test_many_files_of_one_name_in_many_folders_are_no_trouble(repo: Repo) -> None:
    rows = [
        (f"d{number}/config.h", '#include "config.h"\n#include "../config.h"\n') for number in range(5_000)
    ]
    commit = commit_of_blobs(repo, rows)
    with open_repository(repo.path, commit, commit) as opened:
        assert len(import_graph(opened.head).paths) == 5_000


def test_a_path_of_a_thousand_folders_is_no_trouble(repo: Repo) -> None:
    deep = "/".join("d" * 1 for _ in range(1_000))
    texts = {
        "py": "import x.y\nfrom . import a\n",
        "ts": "import 'x'; import './a';",
        "rs": "use super::a;",
        "c": '#include "x.h"',
    }
    commit = commit_of_blobs(repo, [(f"{deep}/m.{ending}", text) for ending, text in texts.items()])
    with open_repository(repo.path, commit, commit) as opened:
        assert pairs(import_graph(opened.head)) == set()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.py", "import a\nx = " + "(" * 100_000 + "\n"),
        (
            "m.py",
            "if x:\n"
            + "".join(" " * depth + "if x:\n" for depth in range(1, 900))
            + " " * 900
            + "import a\n",
        ),
        ("m.js", "import './a';\n" + "(" * 100_000),
        ("m.js", "f(" * 3_000 + "require('./a')" + ")" * 3_000),
        ("m.ts", "import './a';\n" + "(a<b," * 10_000),
        ("m.cpp", '#include "a.h"\n' + "a<b<" * 10_000),
        ("m.cpp", "#if X\n" * 3_000 + '#include "a.h"\n'),
        ("m.rs", "mod x {" * 3_000 + "use super::a;"),
        ("m.rs", "use " + "a::{" * 3_000 + "b;"),
        ("m.php", "<?php require " + "('a'." * 3_000 + "'b';"),
        ("m.cs", "namespace A {" * 3_000 + "using B;"),
        ("m.rb", "[" * 5_000 + "require 'a'"),
        ("m.java", "import " + "a." * 50_000 + "b;"),
        ("m.go", "package a\nimport (\n" + '"a"\n' * 20_000),
    ],
)
def test_deep_nesting_and_endless_names_are_survived(graph: Graph, name: str, text: str) -> None:
    found = graph({name: text, "a.py": "", "a.js": "", "a.h": ""})
    assert name in found.paths


def test_a_file_too_large_to_parse_is_named_as_skipped(graph: Graph) -> None:
    unclear = "import a; import b\n" + "x = 1\n" * 400_000
    plain = "import a\n" + "x = 1\n" * 400_000
    found = graph({"unclear.py": unclear, "plain.py": plain, "a.py": ""})
    assert found.skipped == ("unclear.py",)
    assert targets(found, "plain.py") == ["a.py"]


def test_binary_files_and_odd_bytes_are_survived(graph: Graph) -> None:
    found = graph(
        {
            "a.py": b"\0import b\n",
            "b.py": b"import \xff\xfe\nfrom c import \xe4\n",
            "c.py": b"# \xe4\nimport b\n",
        }
    )
    assert found.imports_of("a.py") == ()
    assert targets(found, "c.py") == ["b.py"]


def test_what_the_deadline_cuts_off_is_skipped_and_not_kept(repo: Repo, tmp_path: Path) -> None:
    commit = repo.commit("Files", {"a.py": "import b\n", "b.py": ""})
    cache = BlobCache(tmp_path / "cache")
    with open_repository(repo.path, commit, commit) as opened:
        assert import_graph(opened.head, cache=cache, max_seconds=-1).skipped == ("a.py", "b.py")
        assert targets(import_graph(opened.head, cache=cache), "a.py") == ["b.py"]


def test_a_second_graph_reads_only_what_changed(repo: Repo, tmp_path: Path) -> None:
    cache = BlobCache(tmp_path / "cache")
    first = counting_tree(
        repo, repo.commit("Files", {"a.py": "import b\n", "b.py": "", "c.js": "import './d';"})
    )
    import_graph(first, cache=cache)
    assert sorted(first.was_read) == ["a.py", "b.py", "c.js"]
    second = counting_tree(
        repo, repo.commit("More", {"b.py": "import a\n", "moved.py": "import b\n", "d.js": ""})
    )
    found = import_graph(second, cache=cache)
    assert sorted(second.was_read) == ["b.py", "d.js"]
    assert targets(found, "moved.py") == ["b.py"]
    assert targets(found, "b.py") == ["a.py"]
    assert targets(found, "c.js") == ["d.js"]


def test_a_graph_from_the_cache_equals_one_without_it(repo: Repo, tmp_path: Path) -> None:
    files = {
        "a.py": "if x:\n  from b import c, d\n",
        "b.py": "",
        "E.java": "package e;\nimport e.F;",
        "F.java": "package e;",
    }
    commit = repo.commit("Files", files)
    cache = BlobCache(tmp_path / "cache")
    with open_repository(repo.path, commit, commit) as opened:
        cold = import_graph(opened.head, cache=cache)
        warm = import_graph(opened.head, cache=cache)
    for path in files:
        assert cold.imports_of(path) == warm.imports_of(path)
    assert pairs(cold) == {("a.py", "b.py"), ("E.java", "F.java")} == pairs(warm)


@pytest.mark.parametrize("kept", [b"", b"{", b"[]", b"[1,2]", b"[[[1]],[]]", b"\xff"])
def test_a_broken_extract_in_the_cache_is_read_again(repo: Repo, tmp_path: Path, kept: bytes) -> None:
    commit = repo.commit("Files", {"a.py": "import b\n", "b.py": ""})
    cache = BlobCache(tmp_path)
    with open_repository(repo.path, commit, commit) as opened:
        blob = opened.head.entries()["a.py"].blob
        import_graph(opened.head, cache=cache)
        assert (tmp_path / FILE_NAME).exists()
        cache.save("imports/python/python", 1, {blob: kept})
        assert targets(import_graph(opened.head, cache=cache), "a.py") == ["b.py"]
