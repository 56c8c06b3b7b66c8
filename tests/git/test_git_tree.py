"""A tree is listed, read and blamed from git objects, and no path leaves it."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from affidavit.errors import GitError
from affidavit.git.objects import ObjectStore
from affidavit.git.repository import open_repository
from affidavit.git.text import text_lines
from affidavit.git.tree import MAX_TEXT_BYTES, GitTree
from long_tests import examples
from repositories import Repo

OpenTree = Callable[[dict[str, str | bytes | None]], GitTree]


def test_every_file_is_listed_with_its_mode_and_id(repo: Repo, open_tree: OpenTree):
    repo.write({"run.sh": "#!/bin/sh\n"})
    (repo.path / "run.sh").chmod(0o755)
    (repo.path / "link").symlink_to("run.sh")
    tree = open_tree({"a/ü.py": "1\n"})
    assert {path: entry.mode for path, entry in tree.entries().items()} == {
        "a/ü.py": "100644",
        "link": "120000",
        "run.sh": "100755",
    }
    entry = tree.entry("a/ü.py")
    assert entry is not None
    assert entry.blob == repo.git("rev-parse", "HEAD:a/ü.py")


def test_a_file_is_asked_of_git_only_once(repo: Repo, open_tree: OpenTree):
    tree = open_tree({"a.py": "1\n"})
    assert tree.read("a.py") == b"1\n"
    blob = repo.git("rev-parse", "HEAD:a.py")
    (repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert tree.read("a.py") == b"1\n"


def test_links_are_never_followed(repo: Repo, open_tree: OpenTree):
    (repo.path / "passwd").symlink_to("/etc/passwd")
    (repo.path / "folder").symlink_to("/etc")
    tree = open_tree({"a": "1\n"})
    assert tree.read("passwd") is None
    assert tree.lines("passwd") is None
    assert tree.read("folder/passwd") is None


@pytest.mark.parametrize(
    "path", ["../outside", "/etc/passwd", "", ".", "a/../b", "a//b", "A", "a\0", "HEAD:a", "a/"]
)
def test_a_path_that_the_tree_does_not_have_is_nothing(repo: Repo, open_tree: OpenTree, path: str):
    (repo.path.parent / "outside").write_text("secret\n")
    tree = open_tree({"a": "1\n", "b": "2\n"})
    assert (tree.entry(path), tree.read(path), tree.lines(path), tree.blame(path, 1)) == (None,) * 4


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a", ["a"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\r\r\n", ["a\r"]),
        (b"\xef\xbb\xbfa\n", ["a"]),
        (b"a\x0cb\x1c\xe2\x80\xa8c\rd\n", ["a\x0cb\x1c\u2028c\rd"]),
        (b"caf\xe9\n", ["caf\ufffd"]),
    ],
)
def test_only_a_line_feed_ends_a_line(data: bytes, lines: list[str]):
    assert text_lines(data) == lines


@given(st.binary(max_size=60))
@settings(max_examples=examples(200))
def test_any_bytes_have_as_many_lines_as_line_feeds_say(data: bytes):
    assert len(text_lines(data)) in (data.count(b"\n"), data.count(b"\n") + 1)


def test_binary_and_large_files_have_no_lines(open_tree: OpenTree):
    tree = open_tree(
        {"b": b"a\0b\n", "late": b"a" * 8000 + b"\0", "large": b"x\n" * (MAX_TEXT_BYTES // 2 + 1)}
    )
    assert tree.lines("b") is None
    assert tree.lines("late") is not None
    assert tree.lines("large") is None
    assert tree.size("large") == MAX_TEXT_BYTES + 2


def test_blame_says_who_when_and_why(repo: Repo, open_tree: OpenTree):
    first = repo.commit("Why it is so", {"a b.py": "one\ntwo\n"})
    repo.git("mv", "a b.py", "c.py")
    tree = open_tree({"c.py": "zero\none\ntwo\n"})
    blame = tree.blame("c.py", 3)
    assert blame is not None
    assert (blame.path, blame.line, blame.commit, blame.summary) == ("a b.py", 2, first, "Why it is so")
    assert (blame.author, blame.date, blame.text) == ("Ada Author", "2026-01-02T03:04:05+00:00", "two")
    assert [tree.blame("c.py", line) for line in (0, -1, 4)] == [None] * 3


def test_many_threads_read_the_right_contents(open_tree: OpenTree):
    names = [f"f{number}" for number in range(60)]
    tree = open_tree({name: f"content of {name}\n" for name in names})
    wrong: list[str] = []

    def read_all() -> None:
        wrong.extend(name for name in names if tree.lines(name) != [f"content of {name}"])

    threads = [threading.Thread(target=read_all) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_an_object_id_that_is_none_is_refused_before_git_sees_it():
    with ObjectStore(None) as store:
        for name in ("HEAD", "a" * 39, "a" * 40 + "\n" + "b" * 40, ""):
            with pytest.raises(GitError, match="not the id of an object"):
                store.read(name)
        assert store.read("a" * 40) is None


def test_a_process_that_died_is_an_error_and_then_started_again(open_tree: OpenTree):
    tree = open_tree({"a": "1\n", "b": "2\n"})
    assert tree.lines("a") == ["1"]
    process = tree._store._content._process
    assert process is not None
    process.kill()
    process.wait()
    assert tree.size("b") == 2
    with pytest.raises(GitError, match="cat-file stopped"):
        tree.lines("b")
    assert tree.lines("b") == ["2"]


def test_a_repository_whose_path_has_a_colon_or_quote_is_read(tmp_path: Path):
    repo = Repo(tmp_path / 'odd:"name')
    commit = repo.commit("Files", {"a": "1\n"})
    with open_repository(repo.path, commit, commit) as repository:
        assert repository.head.lines("a") == ["1"]


def test_a_repository_of_sha256_objects_is_read(tmp_path: Path):
    repo = Repo(tmp_path / "sha256", "--object-format=sha256")
    commit = repo.commit("Files", {"a": "1\n"})
    with open_repository(repo.path, commit, commit) as repository:
        assert repository.head.lines("a") == ["1"]
        assert repository.head.search("1", ["*"])[0].path == "a"


def test_closing_ends_the_processes(repo: Repo):
    commit = repo.commit("Files", {"a": "1\n"})
    with open_repository(repo.path, commit, commit) as repository:
        repository.head.lines("a")
        process = repository.store._content._process
        assert process is not None
        folder = repository.store.folder
    assert process.poll() is not None
    assert not os.path.lexists(folder)
