"""The hooks that `affidavit init` writes, run as git runs them."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from commands import affidavit, environment_of
from posting_flow import ALL_BUT_RUFF
from repositories import Repo, run_git


@pytest.fixture
def folder(repo: Repo) -> Path:
    repo.git("remote", "add", "origin", "git@github.com:owner/repo.git")
    return repo.path


def test_hooks_that_are_kept_elsewhere_by_a_link_are_left_alone(folder: Path) -> None:
    outside = folder.parent / "shared-hooks"
    outside.mkdir()
    hooks = folder / ".git" / "hooks"
    for one in hooks.iterdir() if hooks.is_dir() else ():
        one.unlink()
    hooks.rmdir() if hooks.is_dir() else None
    hooks.symlink_to(outside)
    done = affidavit("init", "--hook", "pre-push", cwd=folder)
    assert done.code == 2
    assert list(outside.iterdir()) == []


def test_the_hooks_are_programs_and_one_stops_a_bad_commit(folder: Path, repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "x = 1\n"})
    assert affidavit("init", "--hook", "pre-commit", "--hook", "pre-push", cwd=folder).code == 0
    hooks = folder / ".git" / "hooks"
    assert all((hooks / name).stat().st_mode & stat.S_IXUSR for name in ("pre-commit", "pre-push"))
    program = Path(sys.executable).with_name("shellcheck")
    subprocess.run([program, hooks / "pre-commit", hooks / "pre-push"], check=True)
    repo.write({"a.py": "x = undefined_name\n"})
    repo.git("add", "-A")
    done = with_hooks(folder, "commit", "-m", "Bad")
    assert done.returncode != 0
    assert b"undefined_name" in done.stdout + done.stderr


def with_hooks(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Git as a user runs it: its hooks find the command."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**environment_of(folder.parent / "data"), "PATH": path, "AFFIDAVIT_ANALYSERS_OFF": ALL_BUT_RUFF}
    return subprocess.run(["git", *arguments], cwd=folder, env=env, capture_output=True, check=False)


@pytest.fixture
def pushed(folder: Path, repo: Repo) -> Path:
    """A repository whose remote has one commit, and no word on which branch is its main one."""
    repo.commit("Begin", {"a.py": "x = 1\n"})
    run_git(folder.parent, "init", "-q", "--bare", "-b", "main", "there.git")
    repo.git("remote", "set-url", "origin", str(folder.parent / "there.git"))
    repo.git("push", "-q", "origin", "HEAD:main")
    repo.git("fetch", "-q", "origin")
    assert affidavit("init", "--hook", "pre-push", cwd=folder).code == 0
    return folder


def test_a_new_branch_and_a_new_tag_are_reviewed_without_a_known_main_branch(
    pushed: Path, repo: Repo
) -> None:
    repo.commit("Bad", {"a.py": "x = undefined_name\n"})
    repo.git("tag", "-a", "-m", "One", "v1")
    for what in ("HEAD:refs/heads/topic", "v1"):
        done = with_hooks(pushed, "push", "origin", what)
        assert done.returncode != 0, done.stderr
        assert b"undefined_name" in done.stdout + done.stderr
    assert "topic" not in run_git(pushed, "ls-remote", "origin").decode()


def test_what_the_remote_has_already_is_not_reviewed_again(pushed: Path, repo: Repo) -> None:
    repo.commit("Bad", {"a.py": "x = undefined_name\n"})
    repo.git("push", "-q", "--no-verify", "origin", "HEAD:main")
    repo.git("tag", "v1")
    repo.git("push", "-q", "--no-verify", "origin", "HEAD:gone")
    for what in ("v1", "HEAD:another", ":gone"):
        done = with_hooks(pushed, "push", "-q", "origin", what)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_what_cannot_be_reviewed_before_a_push_is_named(pushed: Path, repo: Repo) -> None:
    blob = repo.git("hash-object", "-w", "a.py").strip()
    repo.git("tag", "words", blob)
    repo.git("checkout", "-q", "--orphan", "apart")
    repo.commit("Apart", {"a.py": "x = undefined_name\n"})
    done = with_hooks(pushed, "push", "-q", "origin", "words", "apart")
    assert done.returncode == 0
    assert b"refs/tags/words is NOT reviewed: it names no commit" in done.stderr
    assert b"refs/heads/apart is NOT reviewed: it has no commit in common" in done.stderr


def test_after_a_rebase_only_the_branch_itself_is_reviewed(pushed: Path, repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("Good", {"b.py": "y = 2\n"})
    repo.git("push", "-q", "--no-verify", "origin", "topic")
    repo.git("checkout", "-q", "-b", "main2", "origin/main")
    repo.commit("Theirs", {"c.py": "z = undefined_name\n"})
    repo.git("push", "-q", "--no-verify", "origin", "HEAD:main")
    repo.git("fetch", "-q", "origin")
    repo.git("checkout", "-q", "topic")
    repo.git("rebase", "-q", "origin/main")
    done = with_hooks(pushed, "push", "-q", "--force", "origin", "topic")
    assert done.returncode == 0, done.stdout + done.stderr
