"""Rows of reviews."""

import pytest
from first_items import BASE, FIRST

from repositories import Repo
from rows import Row


@pytest.fixture
def row(repo: Repo) -> Row:
    repo.commit("Base", BASE)
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit("Take the first", {"shop.py": FIRST})
    return Row(repo)
