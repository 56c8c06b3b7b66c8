from pathlib import Path

from affidavit.git.location import find_repository
from affidavit.git.objects import ObjectStore
from affidavit.service.child.requests import newest_names
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
