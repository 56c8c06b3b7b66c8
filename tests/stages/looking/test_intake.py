"""Whatever the user names becomes a Change and a pair of trees, or a clear error."""

import hashlib
import os
import re
from pathlib import Path

import pytest
from opened_changes import opened, statuses

from affidavit.errors import (
    InputError,
)
from affidavit.records.change import FileStatus
from affidavit.stages.intake import ChangeRequest, open_change
from repositories import Repo, run_git


def fingerprint(folder: Path) -> dict[str, str]:
    """Every file below a folder with a digest of its content."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_range_tells_what_happened_to_each_file(two_commits: Repo):
    change = opened(two_commits, "HEAD~1..HEAD")
    assert statuses(change) == {
        "app.py": FileStatus.MODIFIED,
        "gone.py": FileStatus.DELETED,
        "new.py": FileStatus.RENAMED,
        "run": FileStatus.MODIFIED,
        "added.py": FileStatus.ADDED,
        "b.bin": FileStatus.ADDED,
    }
    files = {file.path: file for file in change.files}
    assert files["new.py"].old_path == "old.py"
    assert (files["run"].old_mode, files["run"].new_mode) == ("100644", "100755")
    assert files["run"].language == "shell"
    assert files["b.bin"].is_binary
    assert files["app.py"].hunks[0].lines == (" one", "-two", "+2", " three")
    assert change.source == "range"
    assert change.base.commit == two_commits.git("rev-parse", "HEAD~1")
    assert change.head.tree == two_commits.git("rev-parse", "HEAD^{tree}")


def test_a_single_commit_gives_its_words_to_the_change(two_commits: Repo):
    change = opened(two_commits, "HEAD")
    assert (change.source, change.title, change.description) == ("commit", "Second", "Because of this.")
    assert [(commit.subject, commit.author) for commit in change.commits] == [("Second", "Ada Author")]


def test_a_title_and_description_of_the_user_stand(two_commits: Repo):
    change = opened(two_commits, "HEAD", title="Mine", description="Why")
    assert (change.title, change.description) == ("Mine", "Why")


def test_several_commits_are_listed_oldest_first(two_commits: Repo):
    two_commits.commit("Third", {"app.py": "3\n"})
    change = opened(two_commits, "HEAD~2..HEAD")
    assert [commit.subject for commit in change.commits] == ["Second", "Third"]
    assert (change.title, change.description) == ("Second (and 1 more commit)", "- Second\n- Third")


def test_a_root_commit_is_compared_with_nothing(two_commits: Repo):
    change = opened(two_commits, "HEAD~1")
    assert set(statuses(change).values()) == {FileStatus.ADDED}
    assert change.base.commit is None


def test_three_dots_compare_with_the_commit_at_which_the_sides_parted(repo: Repo):
    parted = repo.commit("First", {"a.py": "1\n"})
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("Topic", {"topic.py": "1\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("Main", {"main.py": "other\n"})
    change = opened(repo, "main...topic")
    assert list(statuses(change)) == ["topic.py"]
    assert change.base.commit == parted
    assert statuses(opened(repo, "main..topic")) == {
        "main.py": FileStatus.DELETED,
        "topic.py": FileStatus.ADDED,
    }
    assert list(statuses(opened(repo, "topic..."))) == ["main.py"]


def test_without_a_target_everything_uncommitted_is_the_change(repo: Repo):
    repo.commit(
        "First", {".gitignore": "*.log\n", "staged.py": "1\n", "unstaged.py": "1\n", "deleted.py": "1\n"}
    )
    repo.write({"staged.py": "2\n"})
    repo.git("add", "staged.py")
    repo.write({"unstaged.py": "2\n", "untracked.py": "2\n", "ignored.log": "2\n", "deleted.py": None})
    change = opened(repo)
    assert statuses(change) == {
        "staged.py": FileStatus.MODIFIED,
        "unstaged.py": FileStatus.MODIFIED,
        "untracked.py": FileStatus.ADDED,
        "deleted.py": FileStatus.DELETED,
    }
    assert change.source == "working_tree"
    assert change.head.commit is None
    assert list(statuses(opened(repo, staged=True))) == ["staged.py"]


def test_reviewing_a_working_tree_leaves_git_s_folder_byte_for_byte_as_it_was(repo: Repo):
    repo.commit("First", {"a.py": "1\n", "sub/b.py": "1\n"})
    repo.write({"a.py": "2\n", "secret.env": "TOKEN=1\n"})
    repo.git("add", "a.py")
    repo.write({"sub/b.py": "3\n"})
    before = fingerprint(repo.path)
    for staged in (False, True):
        with open_change(ChangeRequest(repo=repo.path, staged=staged)) as change:
            head = change.repository.head
            assert head.lines("a.py") == ["2"]
            blame = head.blame("a.py", 1)
            assert blame is not None
            assert set(blame.commit) == {"0"}
    assert fingerprint(repo.path) == before


def test_temporary_folders_are_gone_after_closing(repo: Repo):
    repo.write({"a.py": "1\n"})
    with open_change(ChangeRequest(repo=repo.path)) as change:
        folder = change.repository.store.folder
        assert folder.is_dir()
    assert not folder.exists()


def test_before_the_first_commit_everything_is_added(repo: Repo):
    repo.write({"a.py": "1\n"})
    change = opened(repo)
    assert statuses(change) == {"a.py": FileStatus.ADDED}
    assert change.base.commit is None
    repo.git("add", "a.py")
    assert statuses(opened(repo, staged=True)) == {"a.py": FileStatus.ADDED}


def test_an_index_with_conflicts_cannot_be_reviewed_as_staged(repo: Repo):
    repo.commit("First", {"a.py": "1\n"})
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("Topic", {"a.py": "2\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("Main", {"a.py": "3\n"})
    with pytest.raises(AssertionError):
        repo.git("merge", "-q", "topic")
    with pytest.raises(InputError, match=r"conflicts.*a\.py"):
        opened(repo, staged=True)
    with open_change(ChangeRequest(repo=repo.path)) as change:
        assert change.notices == ("a.py has conflicts that are not resolved",)


def test_a_part_of_the_working_tree_that_cannot_be_read_is_named_and_the_rest_is_reviewed(repo: Repo):
    repo.commit("First", {"a.py": "1\n"})
    repo.write({"a.py": "2\n"})
    Repo(repo.path / "nested")
    with open_change(ChangeRequest(repo=repo.path)) as change:
        assert list(statuses(change.change)) == ["a.py"]
        assert "nested" in change.notices[0]


def test_attributes_of_the_change_cannot_hide_its_files(repo: Repo):
    repo.commit("First", {"a.py": "1\n"})
    repo.commit("Hide", {"a.py": "2\n", ".gitattributes": "*.py -diff\n*.py binary\n"})
    for target in ("HEAD~1..HEAD", "HEAD"):
        file = next(file for file in opened(repo, target).files if file.path == "a.py")
        assert not file.is_binary
        assert file.hunks[0].lines == ("-1", "+2")
    repo.write({"a.py": "3\n"})
    assert opened(repo).files[0].hunks[0].lines == ("-2", "+3")


def test_settings_of_the_repository_do_not_change_how_a_diff_is_made(repo: Repo):
    for name, value in {
        "diff.noprefix": "true",
        "diff.external": "false",
        "color.ui": "always",
        "diff.renames": "false",
        "core.quotePath": "true",
        "diff.context": "0",
        "diff.suppressBlankEmpty": "true",
    }.items():
        repo.git("config", name, value)
    body = "".join(f"{number}\n\n" for number in range(10))
    repo.commit("First", {"ä old.py": body})
    repo.git("mv", "ä old.py", "ä new.py")
    repo.commit("Second", {"ä new.py": body + "more\n"})
    file = opened(repo, "HEAD").files[0]
    assert (file.path, file.old_path, file.status) == ("ä new.py", "ä old.py", FileStatus.RENAMED)
    assert file.hunks[0].lines == (" ", " 9", " ", "+more")


def test_a_file_that_becomes_a_link_is_one_change(repo: Repo):
    repo.commit("First", {"a": "one\ntwo\n", "z": "1\n"})
    (repo.path / "a").unlink()
    (repo.path / "a").symlink_to("/etc/passwd")
    repo.commit("Second", {"z": "2\n"})
    with open_change(ChangeRequest(target="HEAD", repo=repo.path)) as change:
        link, other = change.change.files
        assert (link.path, link.status, link.old_mode, link.new_mode) == (
            "a",
            FileStatus.MODIFIED,
            "100644",
            "120000",
        )
        assert link.hunks[0].lines == ("-one", "-two", "+/etc/passwd")
        assert other.path == "z"
        assert change.repository.head.read("a") is None


def test_names_of_every_kind_are_told(repo: Repo):
    names = [
        "with space.py",
        "tab\t.py",
        'quote".py',
        "ünï.py",
        "n\nl.py",
        "back\\slash.py",
        "-dash",
        ":(glob)x",
    ]
    repo.commit("First", {"z": "1\n"})
    repo.commit("Second", dict.fromkeys(names, "1\n"))
    assert set(statuses(opened(repo, "HEAD"))) == set(names)


def test_a_name_that_is_not_utf8_is_escaped(repo: Repo):
    repo.commit("First", {"z": "1\n"})
    (Path(os.fsdecode(os.fsencode(repo.path) + b"/caf\xe9.py"))).write_text("1\n")
    repo.commit("Second")
    with open_change(ChangeRequest(target="HEAD", repo=repo.path)) as change:
        assert list(statuses(change.change)) == ["caf\\xe9.py"]
        assert change.repository.head.lines("caf\\xe9.py") == ["1"]


def test_a_changed_submodule_is_known_as_one(repo: Repo, tmp_path: Path):
    inner = Repo(tmp_path / "inner")
    inner.commit("Inner", {"x": "1\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "lib")
    repo.commit("First")
    new = inner.commit("More", {"x": "2\n"})
    run_git(repo.path / "lib", "-c", "protocol.file.allow=always", "pull", "-q", "origin", "main")
    file = opened(repo).files[0]
    assert (file.path, file.is_submodule, file.new_blob) == ("lib", True, new)


def test_a_bare_repository_can_be_reviewed_by_range_but_has_no_working_tree(
    two_commits: Repo, tmp_path: Path
):
    run_git(tmp_path, "clone", "-q", "--bare", str(two_commits.path), "bare.git")
    request = ChangeRequest(target="HEAD~1..HEAD", repo=tmp_path / "bare.git")
    with open_change(request) as change:
        assert len(change.change.files) == 6
        assert change.repository.head.search("more")[0].path == "new.py"
    with pytest.raises(InputError, match="bare repository"):
        open_change(ChangeRequest(repo=tmp_path / "bare.git"))


def test_linked_worktrees_and_subfolders_work(two_commits: Repo, tmp_path: Path):
    two_commits.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "topic")
    linked = tmp_path / "linked"
    (linked / "sub").mkdir()
    (linked / "sub" / "x.py").write_text("1\n")
    (linked / "top.py").write_text("1\n")
    with open_change(ChangeRequest(repo=linked / "sub")) as change:
        assert set(statuses(change.change)) == {"sub/x.py", "top.py"}


@pytest.mark.parametrize("name", ["../typo.diff", "typo.patch", "./typo", "/nowhere/typo"])
def test_a_mistyped_file_is_not_taken_for_a_commit(repo: Repo, name: str):
    repo.commit("First", {"a.txt": "one\n"})
    with pytest.raises(InputError, match=f"^{re.escape(name)} does not exist; pass a diff file"):
        open_change(ChangeRequest(target=name, repo=repo.path))


def test_a_mistyped_file_is_said_where_there_is_no_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"typo\.diff does not exist"):
        open_change(ChangeRequest(target="typo.diff"))


def test_a_folder_is_no_diff(repo: Repo, tmp_path: Path):
    repo.commit("First", {"a.txt": "one\n"})
    with pytest.raises(InputError, match="is a folder"):
        open_change(ChangeRequest(target=str(tmp_path), repo=repo.path))


def test_a_branch_that_is_named_like_a_diff_is_a_branch(repo: Repo):
    repo.commit("First", {"a.txt": "one\n"})
    repo.commit("Second", {"a.txt": "two\n"})
    repo.git("branch", "fix.diff")
    with open_change(ChangeRequest(target="fix.diff", repo=repo.path)) as opened:
        assert opened.change.source == "commit"
