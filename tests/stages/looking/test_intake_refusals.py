"""What cannot be reviewed is refused with what to do; odd kinds of repositories are not."""

from pathlib import Path

import pytest
from opened_changes import opened, statuses

from affidavit.errors import (
    EmptyChangeError,
    InputError,
    MalformedDiffError,
    NotARepositoryError,
    UnknownRevisionError,
)
from affidavit.git.location import without_credentials
from affidavit.stages.intake import ChangeRequest, open_change
from repositories import Repo, run_git


@pytest.mark.parametrize(
    "target",
    [
        "nonsense",
        "HEAD..nonsense",
        "nonsense...HEAD",
        "--all",
        "-n1",
        "HEAD:app.py",
        "\n",
        "...HEAD",
        "..HEAD",
    ],
)
def test_an_unknown_revision_is_said(two_commits: Repo, target: str):
    with pytest.raises(UnknownRevisionError, match="no commit called"):
        opened(two_commits, target)


def test_a_mistyped_branch_is_corrected(two_commits: Repo):
    two_commits.git("branch", "feature-login")
    with pytest.raises(UnknownRevisionError, match="did you mean feature-login"):
        opened(two_commits, "main..feature-logn")


def test_a_name_that_means_two_commits_is_refused(two_commits: Repo):
    """Whoever may push a tag must not choose what the name of a branch means."""
    first, last = (two_commits.git("rev-parse", name) for name in ("HEAD~1", "HEAD"))
    two_commits.git("update-ref", "refs/remotes/origin/main", first)
    assert statuses(opened(two_commits, "origin/main...HEAD"))
    two_commits.git("tag", "origin/main", last)
    with pytest.raises(InputError, match=r"ambiguous: it means refs/remotes/origin/main .* and refs/tags/"):
        opened(two_commits, "origin/main...HEAD")
    assert statuses(opened(two_commits, "refs/remotes/origin/main...HEAD"))
    two_commits.git("tag", last[:7], first)
    with pytest.raises(InputError, match=f"'{last[:7]}' is ambiguous"):
        opened(two_commits, last[:7])


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


DEEPENING = "git fetch --unshallow.*contacts the remote that the repository names"


@pytest.fixture
def shallow(two_commits: Repo, tmp_path: Path) -> Repo:
    """A clone that holds the last commit only."""
    run_git(tmp_path, "clone", "-q", "--depth=1", f"file://{two_commits.path}", "shallow")
    return Repo(tmp_path / "shallow")


@pytest.mark.parametrize("target", ["HEAD~1..HEAD", "HEAD", "v1...HEAD"])
def test_a_shallow_clone_that_lacks_the_base_says_how_to_deepen_it(shallow: Repo, target: str):
    with pytest.raises(UnknownRevisionError, match=DEEPENING):
        opened(shallow, target)


def test_two_histories_without_a_common_commit_in_a_shallow_clone_say_how_to_deepen_it(shallow: Repo):
    tree = shallow.git("rev-parse", "HEAD^{tree}")
    other = shallow.git("commit-tree", "-m", "other", tree)
    with pytest.raises(UnknownRevisionError, match=DEEPENING):
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
