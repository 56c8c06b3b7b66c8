"""Fixtures that every part's tests may use."""

from pathlib import Path

import pytest

from repositories import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty repository."""
    return Repo(tmp_path / "repo")
