"""A repository whose objects are not what their names say is refused, wherever the lie is."""

from pathlib import Path

import pytest

from affidavit.diff.between import files_between
from affidavit.errors import GitError
from affidavit.git.location import find_repository
from affidavit.git.objects import BATCH_BYTES, ObjectStore
from affidavit.git.repository import open_repository
from forgery import forge_commit_graph, forge_object, object_content
from repositories import Repo

LIE = "is not what its name says|hash mismatch"


@pytest.fixture(params=["sha1", "sha256"])
def forged(request: pytest.FixtureRequest, tmp_path: Path) -> Repo:
    repo = Repo(tmp_path / "repo", f"--object-format={request.param}")
    repo.commit("base", {"src/app.py": "x = 1\n", "other.py": "y = 1\n"})
    repo.commit("head", {"src/app.py": "x = undefined\n"})
    return repo


def opened_diff(repo: Repo) -> tuple[list[str], bytes | None, list[str]]:
    """The changed paths, a file that was not changed, and all paths: every object is read for it."""
    commits = repo.git("rev-parse", "HEAD~1", "HEAD").split()
    with open_repository(repo.path, *commits) as opened:
        changed = [file.path for file in files_between(opened.store, opened.base, opened.head)]
        return changed, opened.head.read("other.py"), sorted(opened.head.entries())


def test_a_repository_that_does_not_lie_is_read(forged: Repo) -> None:
    assert opened_diff(forged) == (["src/app.py"], b"y = 1\n", ["other.py", "src/app.py"])


@pytest.mark.parametrize("revision", ["HEAD:src/app.py", "HEAD~1:src/app.py", "HEAD:other.py"])
def test_a_file_under_the_name_of_another_is_refused(forged: Repo, revision: str) -> None:
    forge_object(forged, forged.git("rev-parse", revision), "blob", b"x = 2\n")
    with pytest.raises(GitError, match=LIE):
        opened_diff(forged)


@pytest.mark.parametrize("revision", ["HEAD:", "HEAD:src"])
def test_a_folder_under_the_name_of_another_is_refused(forged: Repo, revision: str) -> None:
    name = forged.git("rev-parse", revision)
    content = object_content(forged, "tree", name)
    renamed = content.replace(b"app.py", b"abc.py").replace(b"other.py", b"abcde.py")
    forge_object(forged, name, "tree", renamed)
    with pytest.raises(GitError, match=LIE):
        opened_diff(forged)


def test_a_commit_under_the_name_of_another_is_refused(forged: Repo) -> None:
    name, other = forged.git("rev-parse", "HEAD", "HEAD~1").split()
    forge_object(forged, name, "commit", object_content(forged, "commit", other))
    with pytest.raises(GitError, match=LIE), open_repository(forged.path, other, name):
        pass


def test_a_summary_of_the_commits_that_names_another_tree_is_not_read(forged: Repo) -> None:
    head, base = forged.git("rev-parse", "HEAD^{tree}", "HEAD~1^{tree}").split()
    forge_commit_graph(forged, head, base)
    # Git believes it.
    assert forged.git("log", "-1", "--format=%T") == base
    with ObjectStore(find_repository(forged.path)) as store:
        assert store.git.line("log", "-1", "--format=%T") == head


def test_a_replacement_that_the_repository_names_is_not_read(forged: Repo) -> None:
    name = forged.git("rev-parse", "HEAD:src/app.py")
    forged.git("replace", name, forged.git("hash-object", "-w", "--stdin", stdin=b"x = 2\n"))
    assert forged.git("show", "HEAD:src/app.py") == "x = 2"
    commit = forged.git("rev-parse", "HEAD")
    with open_repository(forged.path, commit, commit) as opened:
        assert opened.head.read("src/app.py") == b"x = undefined\n"


def test_large_files_that_are_small_in_a_repository_are_read_a_few_at_a_time(repo: Repo) -> None:
    size = BATCH_BYTES // 3
    commit = repo.commit("Zeros", {f"{number}.bin": bytes([number]) * size for number in range(7)})
    with open_repository(repo.path, commit, commit) as opened:
        blobs = [entry.blob for entry in opened.head.entries().values()]
        assert [len(part) for part in opened.store.parts(blobs)] == [3, 3, 1]
        assert [len(content or b"") for _, content in opened.store.read_many(blobs)] == [size] * 7
