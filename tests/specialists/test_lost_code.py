"""Code under review that an agent deleted or emptied, and what is only elsewhere or written anew."""

import asyncio
import json

import pytest

from affidavit.specialists.lost_code import LostCode
from affidavit.stages.looking.intake import ChangeRequest, open_change
from claims import case_of
from repositories import Repo

APP = "def total(items):\n    start = 0\n    return start + sum(items)\n"


def lost(repo: Repo, after: dict[str, str | None], reviewed: str = "app.py") -> list[str]:
    repo.commit("Base", {"app.py": APP, "notes.md": "# Notes\n\nOne.\n"})
    repo.commit("Head", after)
    with open_change(ChangeRequest(target="HEAD", repo=repo.path)) as opened:
        case = case_of(opened.change, opened.repository)
        reply = asyncio.run(LostCode(frozenset({reviewed})).examine(case))
    return [one["file"] for one in json.loads(reply.text or "{}")["findings"]]


@pytest.mark.parametrize("now", [None, "\n", "pass\n", "LIMIT = 1\nOTHER = 2\nMORE = 3\n"])
def test_a_file_without_its_code_is_lost(repo: Repo, now: str | None) -> None:
    assert lost(repo, {"app.py": now}) == ["app.py"]


HONEST: dict[str, dict[str, str | None]] = {
    "moved": {"app.py": None, "core.py": "import os\n\n\n" + APP.replace("start = 0", "start = 1")},
    "written anew": {"app.py": "def total(items):\n    return sum(items)\n"},
    "called otherwise": {"app.py": "def sum_of(goods):\n    return sum(goods)\n"},
    "moved in part": {"app.py": "from core import total\n", "core.py": APP},
}


@pytest.mark.parametrize("after", HONEST.values(), ids=HONEST)
def test_code_that_is_elsewhere_or_other_by_now_is_not_lost(repo: Repo, after: dict[str, str | None]) -> None:
    assert lost(repo, after) == []


def test_what_was_not_under_review_may_be_deleted(repo: Repo) -> None:
    assert lost(repo, {"app.py": None}, reviewed="other.py") == []
