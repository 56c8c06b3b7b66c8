"""Forges in memory with one pull request each."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from affidavit.records.report import Report
from forge_http import Origin
from github_server import GitHubServer, opened_github
from posting_flow import reviewed
from shop import BASE_FILES, HEAD_FILES


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A repository with the two commits of the pull request, to be copied: the same commits in every test."""
    folder = tmp_path_factory.mktemp("begun")
    origin = Origin(folder / "cart.git", folder / "work")
    base = origin.commit("main", dict(BASE_FILES), "Begin")
    head = origin.commit("topic", dict(HEAD_FILES), "Add prices in several currencies")
    return folder, base, head


@pytest.fixture
def github(tmp_path: Path, begun: tuple[Path, str, str]) -> Iterator[GitHubServer]:
    """GitHub with an open pull request; every exchange must be as GitHub describes it."""
    server = opened_github(tmp_path / "github", begun)
    yield server
    server.stop()
    assert server.problems == []


@pytest.fixture(scope="session")
def first_report(tmp_path_factory: pytest.TempPathFactory, begun: tuple[Path, str, str]) -> Report:
    """The report on that change, made once."""
    folder = tmp_path_factory.mktemp("first")
    server = opened_github(folder / "github", begun)
    report = reviewed(server.address, folder / "cache")
    server.stop()
    return report


@pytest.fixture
def report(github: GitHubServer, first_report: Report) -> Report:
    """The same as if it had been made here: only the address of the forge differs."""
    change = first_report.change.model_copy(update={"request": github.address.url})
    return first_report.model_copy(update={"change": change})
