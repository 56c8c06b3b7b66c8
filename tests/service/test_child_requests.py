"""What a child process answers about a repository."""

import asyncio
import json
from pathlib import Path

import pytest

from affidavit.errors import InputError
from affidavit.git.location import find_repository
from affidavit.git.objects import ObjectStore
from affidavit.service.child.requests import newest_names, recheck_report
from commands import affidavit
from repositories import Repo


def test_branches_and_tags_are_listed_with_their_commits(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "shop")
    first = repo.commit("Begin", {"a.py": "1\n"})
    repo.git("branch", "old")
    repo.git("tag", "v1")
    second = repo.commit("Go on; with a semicolon", {"a.py": "2\n"})
    store = ObjectStore(find_repository(repo.path))
    try:
        branches = dict(newest_names(store, "refs/heads", 10))
        tags = dict(newest_names(store, "refs/tags", 10))
    finally:
        store.close()
    assert {name: one.sha for name, one in branches.items()} == {"main": second, "old": first}
    assert branches["main"].subject == "Go on; with a semicolon"
    assert list(tags) == ["v1"]


@pytest.mark.parametrize("finding", [None, "ruff-0"])
def test_a_report_of_another_release_is_proven_by_nobody(repo: Repo, finding: str | None) -> None:
    repo.commit("Begin", {"a.py": "a = 1\n"})
    repo.commit("Go on", {"a.py": "a = b\n"})
    report = json.loads(affidavit("review", "HEAD", "--no-store", "--format", "report", cwd=repo.path).out)
    with pytest.raises(InputError, match=r"pip install affidavit==9\.9\.1"):
        asyncio.run(recheck_report({**report, "affidavit_version": "9.9.1"}, str(repo.path), finding))
