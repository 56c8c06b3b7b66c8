"""Repositories for the stages."""

import pytest

from repositories import Repo


@pytest.fixture
def two_commits(repo: Repo) -> Repo:
    """A repository with a first commit, and a second one that edits, adds, deletes and renames."""
    body = "".join(f"line {number}\n" for number in range(20))
    repo.commit(
        "First", {"app.py": "one\ntwo\nthree\n", "gone.py": "x\n", "old.py": body, "run": "#!/bin/sh\n"}
    )
    repo.git("mv", "old.py", "new.py")
    (repo.path / "run").chmod(0o755)
    repo.commit(
        "Second\n\nBecause of this.",
        {
            "app.py": "one\n2\nthree\n",
            "gone.py": None,
            "new.py": body + "more\n",
            "added.py": "",
            "b.bin": b"\0\1",
        },
    )
    return repo
