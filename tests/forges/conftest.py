"""Forges in memory with one pull request each."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from github_server import GitHubServer
from shop import BASE_FILES, HEAD_FILES


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GitHubServer]:
    """GitHub with an open pull request; every exchange must be as GitHub describes it."""
    server = GitHubServer(tmp_path / "github")
    base = server.origin.commit("main", dict(BASE_FILES), "Begin")
    head = server.origin.commit("topic", dict(HEAD_FILES), "Add prices in several currencies")
    server.open_pull(base, head, body="Fixes #3")
    yield server
    server.stop()
    assert server.problems == []
