"""Fixtures for specialists: cases with both sides."""

from collections.abc import Iterator

import pytest

from python_changes import Open, opened_cases
from repositories import Repo


@pytest.fixture
def case(repo: Repo) -> Iterator[Open]:
    """Make a case; its processes end with the test."""
    yield from opened_cases(repo)
