"""Fixtures that every part's tests may use."""

import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings

from browser import browser
from import_graphs import graph
from repositories import Repo
from trees import open_pair, open_tree

__all__ = ["browser", "graph", "open_pair", "open_tree"]

# Shared machines are slow at times, which is no failure. A build tries the same examples each time, so it
# fails only for what was changed; whoever runs the tests by hand searches anew.
settings.register_profile("project", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("project")

BROKEN = Path(__file__).parent.parent / ".pytest_cache" / "runner-broke.txt"


def pytest_sessionstart(session: pytest.Session) -> None:
    """What broke an earlier run says nothing about this one."""
    if not hasattr(session.config, "workerinput"):
        BROKEN.unlink(missing_ok=True)


def pytest_internalerror(excrepr: object) -> None:
    """Keep what broke the runner first: `tools/run-tests` shows it after the last line."""
    BROKEN.parent.mkdir(exist_ok=True)
    with suppress(FileExistsError), BROKEN.open("x") as file:
        file.write(f"{excrepr}\n")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A lost worker takes its tests with it; the runner alone would call what is left a success."""
    if BROKEN.exists() and not hasattr(session.config, "workerinput") and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.INTERNAL_ERROR


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty repository."""
    return Repo(tmp_path / "repo")
