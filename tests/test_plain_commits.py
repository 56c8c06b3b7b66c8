"""Commits that test repositories write themselves are those that git makes of the same files."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from plain_commits import NotPlainError
from repositories import Repo


def by_git(repo: Repo, message: str) -> None:
    repo.git("add", "-A", "-f")
    repo.git("commit", "-q", "--allow-empty", "-m", message)


def state_of(repo: Repo) -> dict[str, str]:
    """All that git says of a repository."""
    asked = {
        "commits": ("log", "--format=raw"),
        "moves": ("reflog", "--all", "--date=iso"),
        "index": ("ls-files", "-s", "-v"),
        "changes": ("--no-optional-locks", "status", "--porcelain", "--ignored"),
        "faults": ("fsck", "--strict", "--no-dangling"),
    }
    return {name: repo.git(*command) for name, command in asked.items()}


def both(folder: Path) -> tuple[Repo, Repo]:
    return Repo(folder / "plain"), Repo(folder / "git")


def fill(repo: Repo) -> None:
    names = {"a/b": "1", "a.b": "2", "a0": "3", "a-b/c/d": "4", "é/ü.txt": "5", ".gitignore": "build\n"}
    repo.write({**names, "build/x": "6", ".github/a.yml": "on: push\n", "empty": "", "bytes": b"\0\xff\r\n"})
    (repo.path / "run").write_text("#!/bin/sh\n")
    (repo.path / "run").chmod(0o755)
    (repo.path / "link").symlink_to("a/b")
    (repo.path / "nobody").mkdir()
    Path(os.fsdecode(os.fsencode(repo.path) + b"/\xff\xfe")).write_text("7")


def change(repo: Repo) -> None:
    repo.write({"a/b": None, "a.b": "other", "new": "8"})
    (repo.path / "a").rmdir()
    (repo.path / "a").write_text("no folder any more")
    (repo.path / "run").chmod(0o644)
    (repo.path / "link").unlink()
    (repo.path / "link").symlink_to("new")


MESSAGES = ["One line", "  A line \n\n\n\nand more\t \nof it\n\n", "Größe — ☃\n# no comment\n"]


@pytest.mark.parametrize("message", MESSAGES)
def test_a_written_commit_is_the_one_that_git_makes(tmp_path: Path, message: str) -> None:
    plain, real = both(tmp_path)
    for step in (fill, change, lambda _: None):
        for repo in (plain, real):
            step(repo)
        head = plain._plain.commit(message)
        by_git(real, message)
        assert head == real.git("rev-parse", "HEAD")
        assert state_of(plain) == state_of(real)


def attributes(repo: Repo) -> None:
    repo.write({".gitattributes": "*.txt text\n", "a.txt": "a\r\n"})


def setting(repo: Repo) -> None:
    repo.git("config", "core.autocrlf", "input")
    repo.write({"a.txt": "a\r\n"})


def hook(repo: Repo) -> None:
    (repo.path / ".git" / "hooks").mkdir()
    (repo.path / ".git" / "hooks" / "pre-commit").write_text("#!/bin/sh\necho x > hooked && git add hooked\n")
    (repo.path / ".git" / "hooks" / "pre-commit").chmod(0o755)


def submodule(repo: Repo) -> None:
    Repo(repo.path / "inner").commit("Inner", {"x": "y"})


def index(repo: Repo) -> None:
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    (repo.path / "module").mkdir()


def branch_without_name(repo: Repo) -> None:
    repo.git("checkout", "-q", "--detach")


def packed_branch(repo: Repo) -> None:
    repo.git("pack-refs", "--all")


def merge(repo: Repo) -> None:
    repo.git("checkout", "-qb", "side", "HEAD~1")
    by_git(repo, "Side")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-commit", "--no-ff", "side")


STEPS = [attributes, setting, hook, submodule, index, branch_without_name, packed_branch, merge]


@pytest.mark.parametrize("step", STEPS)
def test_what_git_would_do_otherwise_is_left_to_git(tmp_path: Path, step: Callable[[Repo], None]) -> None:
    plain, real = both(tmp_path)
    for repo in (plain, real):
        for number in "12":
            repo.write({"a": number})
            if repo is plain:
                repo._plain.commit(number)
            else:
                by_git(repo, number)
        step(repo)
    with pytest.raises(NotPlainError):
        plain._plain.commit("Next")
    assert plain.commit("Next") == plain.git("rev-parse", "HEAD")
    by_git(real, "Next")
    assert state_of(plain) == state_of(real)


@pytest.mark.parametrize("name", ["GIT~1", ".gitmodules", "a\\b", "c:d"])
def test_names_that_git_looks_at_are_left_to_git(repo: Repo, name: str) -> None:
    repo.write({name: "x"})
    with pytest.raises(NotPlainError):
        repo._plain.commit("A name")
