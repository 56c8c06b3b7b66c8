"""A repository with a change that a finding can be proven on."""

from pathlib import Path

import pytest

from agent_client import AFTER, BEFORE
from repositories import Repo


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    repo = Repo(tmp_path_factory.mktemp("mcp") / "repo")
    repo.commit("A mean", {"mean.py": BEFORE, "use.py": "from mean import mean\n\nprint(mean([1]))\n"})
    repo.commit("Simpler", {"mean.py": AFTER})
    return repo.path
