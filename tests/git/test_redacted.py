"""A repository as it may leave: git itself searches files that hold no secret any more."""

from collections.abc import Callable
from pathlib import Path

import pytest

from affidavit.git.blob_cache import BlobCache
from affidavit.git.repository import GitRepository
from affidavit.git.tree import MAX_TEXT_BYTES
from affidavit.redaction.text import rules_version
from repositories import Repo
from trees import Files, open_pair

__all__ = ["open_pair"]
Opened = Callable[[Files, Files], GitRepository]

# Put together here, so that no scanner takes this file for a leak.
TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
OTHER = "ghp_" + "Zb1Nc4Hd6Fg0AsRk3Jx9Lm2Qp7Vt5Wy8Zb1N"
APP = f'import os\nTOKEN = "{TOKEN}"\nREGION = "eu"\n'


@pytest.fixture
def repository(open_pair: Opened) -> GitRepository:
    return open_pair({"app.py": "import os\n", "docs/a.md": "words\n"}, {"app.py": APP})


def test_every_line_keeps_its_number(repository: GitRepository) -> None:
    expected = ["import os", 'TOKEN = "REDACTED_token_1"', 'REGION = "eu"']
    assert repository.redacted.head.lines("app.py") == expected
    assert repository.head.redacted_lines("app.py") == expected
    assert repository.head.lines("app.py") == APP.splitlines()


def test_a_side_without_secrets_is_the_tree_itself(repository: GitRepository) -> None:
    assert repository.redacted.base.revision == repository.base.revision
    assert repository.redacted.head.revision != repository.head.revision


@pytest.mark.parametrize("pattern", [TOKEN, TOKEN[:8], 'TOKEN = "ghp_', "ghp_.{7}[A-M]", "ghp_.{7}[^A-M]"])
def test_no_pattern_meets_the_secret(repository: GitRepository, pattern: str) -> None:
    assert repository.head.search("ghp_")
    assert repository.redacted.head.search(pattern) == []


def test_what_stands_beside_the_secret_is_found(repository: GitRepository) -> None:
    (hit,) = repository.redacted.head.search("TOKEN = ")
    assert (hit.path, hit.line, hit.text) == ("app.py", 2, 'TOKEN = "REDACTED_token_1"')


def test_a_name_that_holds_a_secret_is_another_one(open_pair: Opened) -> None:
    repository = open_pair(
        {"keys/x.txt": "a\n"}, {f"keys/{TOKEN}.txt": "one\n", f"keys/{OTHER}.txt": "two\n"}
    )
    shown = repository.redacted
    assert sorted(shown.head.entries()) == [
        "keys/REDACTED_token_0.txt",
        "keys/REDACTED_token_0.txt.2",
        "keys/x.txt",
    ]
    assert shown.shown_name(f"keys/{TOKEN}.txt") == "keys/REDACTED_token_0.txt"
    assert shown.head.lines(shown.shown_name(f"keys/{OTHER}.txt")) == ["two"]


def test_blame_keeps_the_history_and_hides_what_people_wrote_into_it(repo: Repo, open_pair: Opened) -> None:
    repository = open_pair({"app.py": "x\n"}, {"app.py": APP})
    repo.commit(f"Use {TOKEN} as the token", {"app.py": APP + "y = 1\n"})
    blamed = repository.redacted.head.blame("app.py", 2)
    assert blamed is not None
    assert (blamed.line, blamed.text) == (2, 'TOKEN = "REDACTED_token_1"')
    assert blamed.summary == "Head"


def test_a_file_too_large_to_be_looked_through_does_not_leave(open_pair: Opened) -> None:
    large = b"word " * (MAX_TEXT_BYTES // 5 + 1) + TOKEN.encode()
    repository = open_pair({"a.txt": "a\n"}, {"large.txt": large})
    assert repository.head.search("ghp_")
    assert repository.redacted.head.search("ghp_") == []
    assert repository.redacted.head.lines("large.txt") == [
        f"[left out: {len(large)} bytes are too many to be read]"
    ]


def test_the_user_s_repository_gets_no_object(repo: Repo, repository: GitRepository) -> None:
    before = sorted(repo.path.joinpath(".git/objects").rglob("*"))
    assert repository.redacted.head.lines("app.py")
    assert sorted(repo.path.joinpath(".git/objects").rglob("*")) == before


def test_a_file_that_is_known_to_be_clean_is_not_read_again(open_pair: Opened, tmp_path: Path) -> None:
    cache = BlobCache(tmp_path / "cache")
    first = open_pair({"a.py": "x = 1\n"}, {"app.py": APP})
    shown = first.redact(cache).head.revision
    clean = {entry.blob for entry in first.head.entries().values() if entry.path == "a.py"}
    blobs = {entry.blob for entry in first.head.entries().values()}
    assert cache.load("without-secrets", rules_version(), blobs).keys() == clean
    again = open_pair({"b.py": "y = 1\n"}, {"b.py": None})
    assert again.redact(cache).head.revision == shown
