"""Where the repository of a case is found: in a folder or a written history."""

import asyncio
from pathlib import Path

import pytest

from affidavit.errors import InputError
from affidavit.lab.cases.folders import CaseFolder
from affidavit.lab.cases.repositories import CaseRepositories
from affidavit.lab.records import LabelledCase
from repositories import Repo, run_git


@pytest.fixture
def history(tmp_path: Path) -> Repo:
    """Two commits, tagged base and head."""
    repo = Repo(tmp_path / "source")
    repo.commit("base", {"a.py": "x = 1\n"})
    repo.git("tag", "base")
    repo.commit("head", {"a.py": "x = 2\n"})
    repo.git("tag", "head")
    return repo


@pytest.fixture
def repositories(tmp_path: Path) -> CaseRepositories:
    return CaseRepositories(tmp_path / "scratch")


def held(tmp_path: Path, repository: str, base: str = "base", head: str = "head") -> CaseFolder:
    folder = tmp_path / "case"
    folder.mkdir(exist_ok=True)
    return CaseFolder(LabelledCase(id="one", repository=repository, base=base, head=head, clean=True), folder)


def located(repositories: CaseRepositories, case: CaseFolder) -> Path:
    return asyncio.run(repositories.locate(case))


def test_a_relative_path_begins_at_the_case(
    tmp_path: Path, history: Repo, repositories: CaseRepositories
) -> None:
    assert located(repositories, held(tmp_path, "../source")).resolve() == history.path
    assert located(repositories, held(tmp_path, str(history.path))).resolve() == history.path


def test_a_written_history_becomes_a_repository(
    tmp_path: Path, history: Repo, repositories: CaseRepositories
) -> None:
    case = held(tmp_path, ".")
    (case.folder / "base").mkdir()
    (case.folder / "base" / "a.py").write_text("x = 1\n")
    history.git("format-patch", "-q", "-1", "-o", str(case.folder))
    place = located(repositories, case)
    assert run_git(place, "show", "head:a.py") == b"x = 2\n"
    assert located(repositories, case) == place


def test_a_folder_inside_of_another_repository_is_not_taken_for_it(
    tmp_path: Path, history: Repo, repositories: CaseRepositories
) -> None:
    (history.path / "inner").mkdir()
    with pytest.raises(InputError, match="is not itself a git repository"):
        located(repositories, held(tmp_path, "../source/inner"))


def test_a_folder_without_a_repository_is_said_in_the_words_of_a_case(
    tmp_path: Path, repositories: CaseRepositories
) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(InputError, match="is not itself a git repository, nor a written history"):
        located(repositories, held(tmp_path, "../plain"))


def test_what_is_not_there_is_said(tmp_path: Path, repositories: CaseRepositories) -> None:
    with pytest.raises(InputError, match="there is no repository .*nowhere"):
        located(repositories, held(tmp_path, "nowhere"))
