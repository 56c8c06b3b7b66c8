"""Patches that are applied to head without a checkout."""

from concurrent.futures import ThreadPoolExecutor

from affidavit.git.patches import apply_patch
from affidavit.git.repository import open_repository
from repositories import Repo

PATCH = "--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-{0}\n+new\n"


def test_patches_are_applied_beside_each_other(repo: Repo) -> None:
    names = [f"{number}.txt" for number in range(8)]
    commit = repo.commit("first", {name: f"{name}\n" for name in names})
    with open_repository(repo.path, commit, commit) as opened, ThreadPoolExecutor(4) as pool:
        applied = list(pool.map(lambda name: apply_patch(opened, PATCH.format(name)), names))
    assert applied == [{name: b"new\n"} for name in names]
