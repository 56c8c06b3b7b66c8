"""A graph of files that a test writes down."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from affidavit.git.repository import open_repository
from affidavit.symbols.import_graph import ImportGraph, import_graph
from import_edges import Files, Graph
from repositories import Repo


@pytest.fixture
def graph(repo: Repo) -> Iterator[Graph]:
    """Commit files into a repository and make the import graph of its tree."""
    with ExitStack() as closing:

        def of_files(files: Files) -> ImportGraph:
            commit = repo.commit("Files", files)
            opened = closing.enter_context(open_repository(repo.path, commit, commit))
            return import_graph(opened.head)

        yield of_files
