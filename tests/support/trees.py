"""Fixtures of the tests for trees and objects."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack

import pytest

from affidavit.git.repository import GitRepository, open_repository
from affidavit.git.tree import GitTree
from repositories import Repo

Files = Mapping[str, str | bytes | None]


@pytest.fixture
def open_tree(repo: Repo) -> Iterator[Callable[[Files], GitTree]]:
    """Commit files and open the tree of that commit."""
    with ExitStack() as closing:

        def opened(files: Files) -> GitTree:
            commit = repo.commit("Files", files)
            return closing.enter_context(open_repository(repo.path, commit, commit)).head

        yield opened


@pytest.fixture
def open_pair(repo: Repo) -> Iterator[Callable[[Files, Files], GitRepository]]:
    """Commit files twice and open both commits."""
    with ExitStack() as closing:

        def opened(base: Files, head: Files) -> GitRepository:
            first = repo.commit("Base", base)
            second = repo.commit("Head", head)
            return closing.enter_context(open_repository(repo.path, first, second))

        yield opened
