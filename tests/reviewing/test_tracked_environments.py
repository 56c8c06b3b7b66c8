"""Environments that the repository tracks: a change could name any folder in them, so none is used."""

from collections.abc import Callable
from pathlib import Path

import pytest

from affidavit.errors import SettingsError
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.running import environments_for
from affidavit.stages.intake import ChangeRequest, open_change
from affidavit.tools.installed_packages import find_packages
from commands import affidavit
from repositories import Repo

CONFIG = "home = /opt/any/bin\n"
PACKAGE = {
    ".venv/lib/python3.12/site-packages/fake-1.dist-info/METADATA": "Name: fake\nVersion: 1\n",
    ".venv/lib/python3.12/site-packages/fake-1.dist-info/RECORD": "fake.py,,\n",
    ".venv/lib/python3.12/site-packages/fake.py": "x = 1\n",
}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo(tmp_path / "repo")
    repo.commit("Start", {"app.py": "print(1)\n"})
    return repo


def write(repo: Repo, path: str, text: str) -> None:
    (repo.path / path).parent.mkdir(parents=True, exist_ok=True)
    (repo.path / path).write_text(text)


def at_head(repo: Repo) -> None:
    repo.commit("Environment", {".venv/pyvenv.cfg": CONFIG})


def at_base_alone(repo: Repo) -> None:
    repo.commit("Environment", {".venv/pyvenv.cfg": CONFIG})
    repo.git("rm", "-q", "--cached", ".venv/pyvenv.cfg")
    repo.git("commit", "-qm", "Gone")
    write(repo, ".venv/pyvenv.cfg", CONFIG)


def in_the_index(repo: Repo) -> None:
    repo.commit("Other", {"app.py": "print(2)\n"})
    write(repo, ".venv/pyvenv.cfg", CONFIG)
    repo.git("add", ".venv")


def one_file_deep_inside(repo: Repo) -> None:
    repo.commit("Library", {".venv/lib/x.py": "x = 1\n"})
    write(repo, ".venv/pyvenv.cfg", CONFIG)


def a_link_to_it(repo: Repo) -> None:
    outside = repo.path.parent / "outside"
    outside.mkdir()
    (outside / "pyvenv.cfg").write_text(CONFIG)
    (repo.path / ".venv").symlink_to(outside)
    repo.git("add", ".venv")
    repo.git("commit", "-qm", "Link")


@pytest.mark.parametrize(
    "tracked", [at_head, at_base_alone, in_the_index, one_file_deep_inside, a_link_to_it]
)
def test_an_environment_that_the_repository_tracks_is_refused(
    repo: Repo, tracked: Callable[[Repo], None]
) -> None:
    tracked(repo)
    with (
        open_change(ChangeRequest(target="HEAD", repo=repo.path)) as opened,
        pytest.raises(SettingsError, match="the repository tracks it"),
    ):
        environments_for(opened.repository, ReviewOptions(environments=(repo.path / ".venv",)))


def test_a_tracked_link_on_the_way_to_an_environment_is_refused(repo: Repo) -> None:
    outside = repo.path.parent / "outside"
    (outside / "made").mkdir(parents=True)
    (repo.path / "tools").symlink_to(outside)
    repo.git("add", "tools")
    repo.git("commit", "-qm", "Link")
    with (
        open_change(ChangeRequest(target="HEAD", repo=repo.path)) as opened,
        pytest.raises(SettingsError, match="the repository tracks it"),
    ):
        environments_for(opened.repository, ReviewOptions(environments=(repo.path / "tools" / "made",)))


def test_an_environment_that_nobody_committed_is_used(repo: Repo) -> None:
    repo.commit("Other", {"app.py": "print(2)\n", ".venvs/notes.txt": "1\n", ".gitignore": ".venv\n"})
    write(repo, ".venv/pyvenv.cfg", CONFIG)
    with open_change(ChangeRequest(target="HEAD", repo=repo.path)) as opened:
        place = repo.path / ".venv"
        assert environments_for(opened.repository, ReviewOptions(environments=(place,))) == [place]


def test_the_command_says_why_it_uses_no_such_environment(repo: Repo) -> None:
    at_head(repo)
    done = affidavit("review", "HEAD", "--run", "--environment", ".venv", cwd=repo.path)
    assert done.code == 2
    assert "--environment .venv: the repository tracks it" in done.err


def test_packages_that_the_repository_tracks_are_none_that_lie_beside_it(repo: Repo) -> None:
    repo.commit("Package", PACKAGE)
    with open_change(ChangeRequest(target="HEAD", repo=repo.path)) as opened:
        repository = opened.repository
        found = find_packages(repository.folder, repository.base, is_tracked=repository.tracks)
        assert "fake" not in found.by_name
        assert "fake" in find_packages(repository.folder, repository.base).by_name


def test_an_environment_that_is_not_ignored_is_the_users_own_while_nobody_added_it(repo: Repo) -> None:
    write(repo, ".venv/pyvenv.cfg", CONFIG)
    write(repo, "app.py", "print(3)\n")
    with open_change(ChangeRequest(repo=repo.path)) as opened:
        assert opened.repository.head.entries().keys() >= {".venv/pyvenv.cfg"}
        assert environments_for(opened.repository, ReviewOptions(environments=(repo.path / ".venv",)))
