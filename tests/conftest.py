"""Fixtures that every part's tests may use."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from repositories import Repo

# Shared machines are slow at times, which is no failure. A build tries the same examples each time, so it
# fails only for what was changed; whoever runs the tests by hand searches anew.
settings.register_profile("project", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("project")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty repository."""
    return Repo(tmp_path / "repo")
