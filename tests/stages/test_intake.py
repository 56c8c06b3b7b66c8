"""Whatever the user names becomes a Change and a pair of trees, or a clear error."""

import hashlib
import os
from pathlib import Path

import pytest

from affidavit.errors import (
    EmptyChangeError,
    InputError,
    MalformedDiffError,
    NotARepositoryError,
    UnknownRevisionError,
)
from affidavit.records.change import Change, FileStatus
from affidavit.stages.intake import ChangeRequest, open_change, without_credentials
from repositories import Repo, run_git


def opened(repo: Repo, target: str | None = None, **more: object) -> Change:
    """The change alone, with its repository closed again."""
    with open_change(ChangeRequest(target=target, repo=repo.path, **more)) as change:  # type: ignore[arg-type]
        return change.change


def statuses(change: Change) -> dict[str, FileStatus]:
    """What happened to each file."""
    return {file.path: file.status for file in change.files}


def fingerprint(folder: Path) -> dict[str, str]:
    """Every file below a folder with a digest of its content."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def two_commits(repo: Repo) -> Repo:
    """A repository with a first commit, and a second one that edits, adds, deletes and renames."""
    body = "".join(f"line {number}\n" for number in range(20))
    repo.commit(
        "First", {"app.py": "one\ntwo\nthree\n", "gone.py": "x\n", "old.py": body, "run": "#!/bin/sh\n"}
    )
    repo.git("mv", "old.py", "new.py")
    (repo.path / "run").chmod(0o755)
    repo.commit(
        "Second\n\nBecause of this.",
        {
            "app.py": "one\n2\nthree\n",
            "gone.py": None,
            "new.py": body + "more\n",
            "added.py": "",
            "b.bin": b"\0\1",
        },
    )
    return repo


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
    assert files["run"].is_mode_change
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
    assert (change.title, change.description) == ("HEAD~2..HEAD", "- Second\n- Third")


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
    assert list(statuses(opened(repo, "...topic"))) == ["topic.py"]


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


@pytest.mark.parametrize(
    "target", ["nonsense", "HEAD..nonsense", "nonsense...HEAD", "--all", "-n1", "HEAD:app.py", "\n"]
)
def test_an_unknown_revision_is_said(two_commits: Repo, target: str):
    with pytest.raises(UnknownRevisionError, match="no commit called"):
        opened(two_commits, target)


def test_a_mistyped_branch_is_corrected(two_commits: Repo):
    two_commits.git("branch", "feature-login")
    with pytest.raises(UnknownRevisionError, match="did you mean feature-login"):
        opened(two_commits, "main..feature-logn")


def test_nothing_to_review_is_said(two_commits: Repo):
    with pytest.raises(EmptyChangeError, match="everything is committed"):
        opened(two_commits)
    with pytest.raises(EmptyChangeError, match="nothing is staged"):
        opened(two_commits, staged=True)
    with pytest.raises(EmptyChangeError, match="changes no file"):
        opened(two_commits, "HEAD..HEAD")


def test_staged_takes_no_target(two_commits: Repo):
    with pytest.raises(InputError, match="--staged"):
        opened(two_commits, "HEAD", staged=True)


def test_a_folder_outside_any_repository_is_refused(tmp_path: Path):
    with pytest.raises(NotARepositoryError, match="not in a git repository"):
        open_change(ChangeRequest(repo=tmp_path))
    with pytest.raises(NotARepositoryError, match="not a folder"):
        open_change(ChangeRequest(repo=tmp_path / "absent"))


@pytest.fixture
def shallow(two_commits: Repo, tmp_path: Path) -> Repo:
    """A clone that holds the last commit only."""
    run_git(tmp_path, "clone", "-q", "--depth=1", f"file://{two_commits.path}", "shallow")
    return Repo(tmp_path / "shallow")


@pytest.mark.parametrize("target", ["HEAD~1..HEAD", "HEAD", "v1...HEAD"])
def test_a_shallow_clone_that_lacks_the_base_says_how_to_deepen_it(shallow: Repo, target: str):
    with pytest.raises(UnknownRevisionError, match="git fetch --unshallow"):
        opened(shallow, target)


def test_two_histories_without_a_common_commit_in_a_shallow_clone_say_how_to_deepen_it(shallow: Repo):
    tree = shallow.git("rev-parse", "HEAD^{tree}")
    other = shallow.git("commit-tree", "-m", "other", tree)
    with pytest.raises(UnknownRevisionError, match="git fetch --unshallow"):
        opened(shallow, f"{other}...HEAD")


def test_two_histories_without_a_common_commit_are_refused(two_commits: Repo):
    tree = two_commits.git("rev-parse", "HEAD^{tree}")
    other = two_commits.git("commit-tree", "-m", "other", tree)
    with pytest.raises(InputError, match="no commit in common"):
        opened(two_commits, f"{other}...HEAD")


def test_a_file_and_a_revision_of_one_name_are_told_apart_by_the_file_s_content(
    two_commits: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    two_commits.git("branch", "both")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "both").write_text("no diff at all\n")
    assert opened(two_commits, "both").source == "commit"
    (tmp_path / "both").write_text("--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-one\n+1\n")
    assert opened(two_commits, "both").source == "diff"
    (tmp_path / "other").write_text("no diff at all\n")
    with pytest.raises(MalformedDiffError, match="line 1"):
        opened(two_commits, "other")


def test_a_hook_s_index_is_what_is_staged(two_commits: Repo, monkeypatch: pytest.MonkeyPatch):
    index = two_commits.path / ".git" / "next-index"
    two_commits.write({"hook.py": "1\n"})
    (index).write_bytes((two_commits.path / ".git" / "index").read_bytes())
    monkeypatch.chdir(two_commits.path)
    monkeypatch.setenv("GIT_INDEX_FILE", str(index))
    blob = two_commits.git("hash-object", "-w", "hook.py")
    run_git(two_commits.path, "update-index", "--add", "--cacheinfo", f"100644,{blob},elsewhere.py")
    index.write_bytes((two_commits.path / ".git" / "index").read_bytes())
    two_commits.git("reset", "-q")
    with open_change(ChangeRequest(staged=True)) as change:
        assert list(statuses(change.change)) == ["elsewhere.py"]
    with pytest.raises(EmptyChangeError):
        opened(two_commits, staged=True)


def test_a_hook_s_index_may_be_named_from_the_top_folder(two_commits: Repo, monkeypatch: pytest.MonkeyPatch):
    two_commits.write({"staged.py": "1\n"})
    two_commits.git("add", "staged.py")
    (two_commits.path / ".git" / "index").rename(two_commits.path / ".git" / "next-index")
    monkeypatch.chdir(two_commits.path)
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index")
    with open_change(ChangeRequest(staged=True)) as change:
        assert list(statuses(change.change)) == ["staged.py"]


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://user:token@example.org/o/r.git", "https://example.org/o/r.git"),
        ("https://token@example.org:8443/o/r?access_token=1#x", "https://example.org:8443/o/r"),
        ("git@example.org:o/r.git", "git@example.org:o/r.git"),
        ("secret@example.org:o/r.git", "example.org:o/r.git"),
        ("/srv/r.git", "/srv/r.git"),
        ("https://[bad/x", "https://"),
    ],
)
def test_credentials_are_not_part_of_a_repository_s_name(address: str, shown: str):
    assert without_credentials(address) == shown


def test_the_repository_is_named_by_its_remote_or_its_folder(two_commits: Repo):
    assert opened(two_commits, "HEAD").repository == "repo"
    two_commits.git("remote", "add", "origin", "https://u:p@example.org/o/r.git")
    assert opened(two_commits, "HEAD").repository == "https://example.org/o/r.git"


def test_nothing_is_staged_in_a_bare_repository(repo: Repo, tmp_path: Path):
    repo.commit("one", {"a.py": "x = 1\n"})
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    with pytest.raises(InputError, match="bare repository"):
        open_change(ChangeRequest(staged=True, repo=tmp_path / "bare.git"))


def test_changes_inside_a_submodule_do_not_stop_the_review_of_the_rest(repo: Repo, tmp_path: Path):
    inner = Repo(tmp_path / "inner")
    inner.commit("one", {"x.py": "x = 1\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "lib")
    repo.commit("with a submodule", {"app.py": "y = 1\n"})
    (repo.path / "lib" / "x.py").write_text("x = 2\n")
    repo.write({"app.py": "y = 2\n"})
    with open_change(ChangeRequest(repo=repo.path)) as opened:
        assert [file.path for file in opened.change.files] == ["app.py"]
