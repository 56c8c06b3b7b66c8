"""Git runs apart from the user's environment, and its failures say what to do."""

from pathlib import Path

import pytest

from affidavit.errors import GitError, NotARepositoryError
from affidavit.git.command import Git, git_environment
from affidavit.git.location import find_repository
from affidavit.stages.intake import ChangeRequest, open_change
from repositories import Repo


def test_variables_that_could_redirect_git_are_stripped(monkeypatch: pytest.MonkeyPatch):
    hostile = ("GIT_DIR", "GIT_OBJECT_DIRECTORY", "GIT_EXTERNAL_DIFF", "GIT_CONFIG_COUNT", "GIT_SSH_COMMAND")
    for name in hostile:
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    environment = git_environment(keep_hook_variables=False)
    assert not set(hostile) & set(environment)
    assert environment["GIT_CONFIG_GLOBAL"] == "/dev/null"
    assert (environment["LC_ALL"], environment["GIT_TERMINAL_PROMPT"]) == ("C", "0")
    assert git_environment(keep_hook_variables=True)["GIT_DIR"] == "x"
    assert "GIT_EXTERNAL_DIFF" not in git_environment(keep_hook_variables=True)


def test_a_named_folder_overrules_the_variables_of_a_hook(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    other = Repo(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    assert find_repository(repo.path).git_dir == repo.path / ".git"
    monkeypatch.chdir(repo.path)
    assert find_repository(None).git_dir == other.path / ".git"


def test_hooks_and_programs_of_the_repository_do_not_run(repo: Repo, tmp_path: Path):
    trace = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho ran >> {trace}\ncat\n")
    program.chmod(0o755)
    repo.commit("First", {"a.py": "1\n", ".gitattributes": "*.py diff=custom\n"})
    for name in (
        "core.fsmonitor",
        "diff.external",
        "diff.custom.command",
        "diff.custom.textconv",
        "core.pager",
    ):
        repo.git("config", name, str(program))
    hooks = repo.path / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-index-change", "pre-commit", "reference-transaction"):
        (hooks / hook).write_text(program.read_text())
        (hooks / hook).chmod(0o755)
    repo.write({"a.py": "2\n"})
    with open_change(ChangeRequest(repo=repo.path)) as opened:
        opened.repository.head.search("2")
        opened.repository.head.blame("a.py", 1)
        assert opened.change.files[0].hunks[0].lines == ("-1", "+2")
    assert not trace.exists()


def test_a_failure_carries_git_s_own_words(repo: Repo):
    with pytest.raises(GitError, match="git cat-file -p nonsense failed: fatal: Not a valid object name"):
        Git(repo.path).run("cat-file", "-p", "nonsense")


def test_a_command_that_takes_too_long_is_ended_and_may_be_tried_again(repo: Repo):
    slow = Git(repo.path, git_environment(False), ("alias.wait=!sleep 5",))
    with pytest.raises(GitError, match="took longer than 0.1 seconds") as caught:
        slow.run("wait", timeout_seconds=0.1)
    assert caught.value.retryable


def test_a_zero_byte_in_an_argument_is_an_error_of_ours(repo: Repo):
    with pytest.raises(GitError, match="null byte"):
        Git(repo.path).run("cat-file", "-p", "a\0b")


def test_a_machine_without_git_is_told_to_install_it(repo: Repo):
    without = Git(repo.path, {"PATH": "/nonexistent"})
    with pytest.raises(GitError, match="install git"):
        without.run("status")


def test_a_repository_of_another_user_is_refused_with_the_fix(repo: Repo):
    distrusting = Git(repo.path, {**git_environment(False), "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"})
    with pytest.raises(GitError, match=r"safe\.directory .*repo"):
        distrusting.run("rev-parse", "--git-dir")


def test_a_clone_that_lacks_an_object_is_refused_with_the_fix(repo: Repo):
    repo.commit("First", {"a.txt": "one\n"})
    repo.commit("Second", {"a.txt": "two\n"})
    lacking = Git(repo.path).line("rev-parse", "HEAD:a.txt")
    (repo.path / ".git" / "objects" / lacking[:2] / lacking[2:]).unlink()
    with pytest.raises(GitError, match=f"lacks the object {lacking}.*git fetch --refetch"):
        open_change(ChangeRequest(target="HEAD", repo=repo.path))


def test_a_broken_repository_is_not_taken_for_none(repo: Repo):
    (repo.path / ".git" / "config").write_text("[core\n")
    with pytest.raises(GitError, match="cannot be read"):
        find_repository(repo.path)


def test_a_folder_without_a_repository_is_said(tmp_path: Path):
    with pytest.raises(NotARepositoryError, match="--repo"):
        find_repository(tmp_path)
