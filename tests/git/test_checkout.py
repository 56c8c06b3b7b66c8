"""A temporary checkout holds regular files only, and nothing can be written outside it."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from affidavit.git.checkout import write_tree_to
from affidavit.git.objects import ObjectStore
from affidavit.git.text import is_safe_path
from affidavit.git.tree import GitTree
from repositories import Repo

OpenTree = Callable[[dict[str, str | bytes | None]], GitTree]


def written(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_regular_files_are_written_as_their_blobs_are(repo: Repo, open_tree: OpenTree, tmp_path: Path):
    (repo.path / "link").symlink_to("/etc/passwd")
    repo.git("config", "core.autocrlf", "false")
    tree = open_tree({"a.py": b"1\r\n\xff", "sub/deep/b.py": "2\n", ".gitattributes": "*.py eol=lf ident\n"})
    assert write_tree_to(tree, tmp_path / "out") == ()
    assert set(written(tmp_path / "out")) == {"a.py", "sub/deep/b.py", ".gitattributes"}
    stored = tree.read("a.py")
    assert written(tmp_path / "out")["a.py"] == stored
    assert not os.path.lexists(tmp_path / "out" / "link")


def test_paths_predicate_and_overrides_choose_what_is_written(open_tree: OpenTree, tmp_path: Path):
    tree = open_tree({"a.py": "1\n", "b.py": "2\n", "ruff.toml": "head\n", "evil.toml": "head\n"})
    overrides = {"ruff.toml": b"base\n", "evil.toml": None, "only-base.toml": b"base\n"}
    write_tree_to(tree, tmp_path / "one", wanted=lambda path: path != "b.py", overrides=overrides)
    assert written(tmp_path / "one") == {"a.py": b"1\n", "ruff.toml": b"base\n", "only-base.toml": b"base\n"}
    write_tree_to(tree, tmp_path / "two", ["b.py", "absent.py"])
    assert written(tmp_path / "two") == {"b.py": b"2\n"}


@pytest.mark.parametrize(
    "path",
    [
        "../x",
        "a/../x",
        "/x",
        "",
        ".git/config",
        "a/.GIT/hooks/x",
        "a//x",
        "./x",
        "a\0",
        "a\\..\\x",
        "git~1/x",
        ".git. /x",
        ".gi\u200ct/x",
    ],
)
def test_a_path_that_could_leave_the_folder_is_not_safe(path: str):
    assert not is_safe_path(path)


def test_unsafe_paths_of_a_forged_tree_are_refused_and_named(tmp_path: Path):
    with ObjectStore(None) as store:
        blob = store.write_blobs([b"evil\n"])[0]
        inner = store.git.line("mktree", stdin=f"100644 blob {blob}\tx\n100644 blob {blob}\tfine\n".encode())
        forged = b"40000 ..\0" + bytes.fromhex(inner) + b"100644 ok\0" + bytes.fromhex(blob)
        name = store.git.line("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=forged)
        (tmp_path / "out").mkdir()
        refused = write_tree_to(GitTree(store, name), tmp_path / "out")
    assert set(refused) == {"../fine", "../x"}
    assert written(tmp_path) == {"out/ok": b"evil\n"}


def test_an_override_that_leaves_the_folder_is_refused(open_tree: OpenTree, tmp_path: Path):
    tree = open_tree({"a": "1\n"})
    assert write_tree_to(tree, tmp_path / "out", overrides={"../x": b"evil"}) == ("../x",)
    assert not (tmp_path / "x").exists()


def test_a_name_that_the_file_system_cannot_hold_is_refused_and_the_rest_written(tmp_path: Path):
    with ObjectStore(None) as store:
        blob = store.write_blobs([b"1\n"])[0]
        changes = {b"x" * 300: ("100644", blob), b"a": ("100644", blob)}
        tree = GitTree(store, store.write_tree(store.empty_tree(), changes))
        assert write_tree_to(tree, tmp_path / "out") == ("x" * 300,)
    assert set(written(tmp_path / "out")) == {"a"}


def test_seven_thousand_files_are_written_in_less_than_two_seconds(tmp_path: Path):
    with ObjectStore(None) as store:
        blobs = store.write_blobs([f"x = {number}\n".encode() * 20 for number in range(100)])
        names = {f"d{number % 40}/f{number}.py".encode(): number for number in range(7000)}
        changes = {name: ("100644", blobs[number % 100]) for name, number in names.items()}
        tree = GitTree(store, store.write_tree(store.empty_tree(), changes))
        # Processor time, since the machine may be busy with other tests.
        started = time.process_time()
        write_tree_to(tree, tmp_path / "out")
        assert time.process_time() - started < 2
    assert len(written(tmp_path / "out")) == 7000
