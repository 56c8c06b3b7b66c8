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


def with_hooks(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    """Git as a user runs it: its hooks find the command."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {
        **environment_of(folder.parent / "data"),
        "PATH": path,
        "AFFIDAVIT_ANALYSERS_OFF": ALL_BUT_RUFF,
        **more,
    }
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


@pytest.fixture
def hooked(folder: Path, repo: Repo) -> Path:
    """A repository with one commit, and the hook that reviews what is committed."""
    repo.commit("Begin", {"a.py": "x = 1\n"})
    assert affidavit("init", "--hook", "pre-commit", cwd=folder).code == 0
    return folder


@pytest.mark.parametrize("flag", ["--amend", "--allow-empty"])
def test_a_commit_that_changes_nothing_goes_through_in_silence(hooked: Path, flag: str) -> None:
    done = with_hooks(hooked, "commit", "-q", flag, "-m", "Other words")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_clean_commit_goes_through_in_silence(hooked: Path, repo: Repo) -> None:
    repo.write({"a.py": "x = 2\n"})
    done = with_hooks(hooked, "commit", "-q", "-a", "-m", "Good")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_an_empty_commit_and_a_commit_with_its_revert_are_pushed(pushed: Path, repo: Repo) -> None:
    repo.git("commit", "-q", "--allow-empty", "-m", "Empty")
    repo.git("tag", "v1")
    for what in ("v1", "HEAD:refs/heads/empty"):
        done = with_hooks(pushed, "push", "-q", "origin", what)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    repo.commit("Bad", {"a.py": "x = undefined_name\n"})
    repo.git("revert", "--no-edit", "HEAD")
    done = with_hooks(pushed, "push", "-q", "origin", "HEAD:main")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_review_that_could_not_be_done_is_said_and_stops_nothing(hooked: Path, repo: Repo) -> None:
    repo.write({"a.py": "x = undefined_name\n"})
    done = with_hooks(hooked, "commit", "-q", "-a", "-m", "Bad", AFFIDAVIT_FAIL_ON="nonsense")
    assert done.returncode == 0
    assert b"AFFIDAVIT_FAIL_ON" in done.stderr
    assert b"affidavit: what is staged is NOT reviewed (exit code 2)" in done.stderr


def test_strict_hooks_stop_for_a_review_that_could_not_be_done(pushed: Path, repo: Repo) -> None:
    both = ("--hook", "pre-commit", "--hook", "pre-push", "--strict", "--force")
    assert affidavit("init", *both, cwd=pushed).code == 0
    repo.write({"a.py": "x = 2\n"})
    env = {"AFFIDAVIT_FAIL_ON": "nonsense"}
    assert with_hooks(pushed, "commit", "-a", "-m", "Two", **env).returncode != 0
    assert with_hooks(pushed, "commit", "-a", "-m", "Two").returncode == 0
    assert with_hooks(pushed, "push", "origin", "HEAD:main", **env).returncode != 0
    blob = repo.git("hash-object", "-w", "a.py").strip()
    repo.git("tag", "words", blob)
    assert with_hooks(pushed, "push", "origin", "words").returncode != 0
    assert with_hooks(pushed, "push", "origin", "HEAD:main").returncode == 0


def test_a_push_that_could_not_be_reviewed_is_said_and_goes_through(pushed: Path, repo: Repo) -> None:
    repo.commit("Bad", {"a.py": "x = undefined_name\n"})
    done = with_hooks(pushed, "push", "-q", "origin", "HEAD:main", AFFIDAVIT_FAIL_ON="nonsense")
    assert done.returncode == 0
    assert b"affidavit: HEAD is NOT reviewed (exit code 2)" in done.stderr


def test_strict_goes_with_a_hook(folder: Path) -> None:
    done = affidavit("init", "--strict", cwd=folder)
    assert (done.code, "--strict goes with --hook" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--hook", "pre-commit", "--agent", "claude"), "--agent does not go with --hook"),
        (
            ("--hook", "pre-commit", "--from", f"example/affidavit@{'0a' * 20}"),
            "--hook does not go with --from",
        ),
        (("--agent", "claude", "--inline", "--strict"), "--agent does not go with --inline, --strict"),
    ],
)
def test_options_of_which_one_would_be_dropped_are_refused(
    folder: Path, options: tuple[str, ...], said: str
) -> None:
    before = sorted(folder.rglob("*"))
    done = affidavit("init", *options, cwd=folder)
    assert (done.code, said in done.err) == (2, True), done.err
    assert sorted(folder.rglob("*")) == before
