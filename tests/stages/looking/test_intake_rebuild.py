"""A recorded change opens again as the same pair of trees, or says what is missing."""

from pathlib import Path

import pytest

from affidavit.errors import InputError, NotARepositoryError, UnknownRevisionError
from affidavit.records.change import Change
from affidavit.stages.intake import ChangeRequest, open_change, rebuild_change
from repositories import Repo


@pytest.fixture
def edited(repo: Repo) -> Repo:
    """A repository whose working tree edits, adds, removes, renames and relinks."""
    body = "".join(f"line {number}\n" for number in range(20))
    repo.commit(
        "First", {"a.py": "1\n2\n", "gone.py": "x\n", "old.py": body, "latin.txt": b"caf\xe9\n", "l": "x\n"}
    )
    (repo.path / "old.py").rename(repo.path / "new.py")
    (repo.path / "l").unlink()
    (repo.path / "l").symlink_to("a.py")
    repo.write(
        {"a.py": "1\ntwo", "gone.py": None, "new.py": body + "more\n", "sub/added.py": "+\r\n", "empty": ""}
    )
    return repo


def recorded(request: ChangeRequest) -> Change:
    """The change after a trip through JSON."""
    with open_change(request) as opened:
        return Change.model_validate_json(opened.change.model_dump_json())


def test_commits_are_opened_as_they_are(repo: Repo):
    repo.commit("First", {"a.py": "1\n"})
    repo.commit("Second", {"a.py": "2\n"})
    change = recorded(ChangeRequest(target="HEAD", repo=repo.path))
    with rebuild_change(change, repo.path) as opened:
        assert opened.notices == ()
        assert opened.repository.head.revision == change.head.tree
        blame = opened.repository.head.blame("a.py", 1)
        assert blame is not None
        assert blame.summary == "Second"


def test_a_working_tree_is_rebuilt_after_it_has_changed(edited: Repo):
    change = recorded(ChangeRequest(repo=edited.path))
    edited.git("reset", "-q", "--hard")
    edited.git("clean", "-qfd")
    with rebuild_change(change, edited.path) as opened:
        assert opened.notices == ()
        assert opened.repository.head.revision == change.head.tree
        assert opened.repository.head.read("a.py") == b"1\ntwo"


def test_a_file_that_does_not_come_out_as_recorded_is_named_and_absent(edited: Repo):
    edited.write({"latin.txt": b"caf\xe9s\n"})
    change = recorded(ChangeRequest(repo=edited.path))
    edited.git("reset", "-q", "--hard")
    with rebuild_change(change, edited.path) as opened:
        assert opened.notices == ("latin.txt could not be rebuilt from the report: it is absent at head",)
        assert opened.repository.head.entry("latin.txt") is None
        assert opened.repository.head.lines("a.py") == ["1", "two"]


def test_a_record_with_a_forged_line_is_not_believed(edited: Repo):
    change = recorded(ChangeRequest(repo=edited.path))
    edited.git("reset", "-q", "--hard")
    text = change.model_dump_json().replace("+two", "+forged")
    with rebuild_change(Change.model_validate_json(text), edited.path) as opened:
        assert "a.py could not be rebuilt" in opened.notices[0]
        assert opened.repository.head.entry("a.py") is None


def test_a_base_that_is_not_here_is_an_error(edited: Repo, tmp_path: Path):
    change = recorded(ChangeRequest(repo=edited.path))
    other = Repo(tmp_path / "other")
    other.commit("Other", {"x": "1\n"})
    with pytest.raises(UnknownRevisionError, match="not in this repository"):
        rebuild_change(change, other.path)


def test_a_diff_without_a_repository_is_rebuilt_from_its_hunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    text = b"--- a/a.py\n+++ b/a.py\n@@ -3 +3 @@\n-old\n+new\n"
    change = recorded(ChangeRequest(target="-", diff_text=text))
    with rebuild_change(change, None) as opened:
        assert opened.notices == ()
        assert opened.repository.head.revision == change.head.tree
        assert opened.repository.head.lines("a.py") == ["", "", "new"]


def test_a_range_needs_its_repository(edited: Repo, tmp_path: Path):
    change = recorded(ChangeRequest(repo=edited.path))
    with pytest.raises(NotARepositoryError):
        rebuild_change(change, tmp_path)


def test_a_record_that_names_a_path_outside_is_refused(edited: Repo):
    change = recorded(ChangeRequest(repo=edited.path))
    edited.git("reset", "-q", "--hard")
    forged = change.model_dump_json().replace("sub/added.py", "../added.py")
    with pytest.raises(InputError, match="cannot be in a repository"):
        rebuild_change(Change.model_validate_json(forged), edited.path)


def test_a_record_with_a_forged_object_id_is_refused(edited: Repo):
    change = recorded(ChangeRequest(repo=edited.path))
    forged = change.model_dump_json().replace(change.base.tree, "HEAD\\nHEAD")
    with pytest.raises(UnknownRevisionError):
        rebuild_change(Change.model_validate_json(forged), edited.path)
