"""Series of reviews."""

import pytest
from first_items import BASE, FIRST

from repositories import Repo
from series import Series


@pytest.fixture
def series(repo: Repo) -> Series:
    repo.commit("Base", BASE)
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit("Take the first", {"shop.py": FIRST})
    return Series(repo)
