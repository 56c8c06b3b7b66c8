"""Repositories that the operator told the service about: by name, checked before anything is queued."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from repositories import Repo
from service_process import Asked, Client, operate


@pytest.fixture(scope="module")
def known(asked: Asked, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repo]:
    """A repository with a branch that changes something, one that does not, and one that took it back."""
    repo = Repo(tmp_path_factory.mktemp("known") / "shop")
    repo.commit("start", {"app.py": "def total(values):\n    return sum(values)\n"})
    repo.git("branch", "idle")
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("one more", {"app.py": "def total(values):\n    return sum(values) + 1\n"})
    repo.git("checkout", "-q", "-b", "taken-back")
    repo.commit("not one more", {"app.py": "def total(values):\n    return sum(values)\n"})
    done = asked.command("repository", "add", "shop", str(repo.path))
    assert done.code == 0, done.err
    yield repo
    assert asked.command("repository", "remove", "shop").code == 0


def ask(client: Client, base: str, head: str) -> tuple[int, str]:
    answer = client.post("/api/review", {"repository": "shop", "base": base, "head": head})
    return answer.status, answer.text


def test_a_range_of_a_known_repository_is_reviewed(client: Client, known: Repo) -> None:
    review_id = client.submit(repository="shop", base="main", head="topic")
    summary = client.finished(review_id)
    assert (summary["status"], summary["repository"]) == ("completed", "shop")
    assert summary["head"] == known.git("rev-parse", "topic")


@pytest.mark.parametrize(
    ("base", "head"),
    [("main", "main"), ("main", "idle"), ("topic", "main"), ("main", "taken-back"), ("topic", "topic~0")],
)
@pytest.mark.usefixtures("known")
def test_a_range_without_a_change_is_completed_and_approves_nothing(
    client: Client, base: str, head: str
) -> None:
    review_id = client.submit(repository="shop", base=base, head=head)
    summary = client.finished(review_id)
    assert summary["status"] == "completed"
    verdict = client.get(f"/api/review/{review_id}/report").json["verdict"]
    assert verdict["decision"] == "comment"
    assert verdict["summary"].startswith("Nothing to review")


@pytest.mark.parametrize("name", ["nowhere", "-x", "--help", "topic^{tree}", "main\nx", "@{-1", ""])
@pytest.mark.usefixtures("known")
def test_an_unknown_revision_is_refused_before_it_is_queued(client: Client, name: str) -> None:
    for base, head in ((name, "topic"), ("main", name)):
        status, text = ask(client, base, head)
        assert status == 422, text


def test_a_repository_that_is_too_large_is_refused(client: Client, known: Repo, asked: Asked) -> None:
    large = Repo(known.path.parent / "large")
    large.commit("start", {"a.bin": os.urandom(3_000_000)})
    assert asked.command("repository", "add", "large", str(large.path)).code == 0
    answer = client.post("/api/review", {"repository": "large", "base": "main", "head": "main"})
    assert answer.status == 413, answer.text
    assert "--repository-bytes" in answer.json["advice"]


def test_the_commands_list_and_forget_repositories(asked: Asked, known: Repo, tmp_path: Path) -> None:
    assert asked.command("repository", "add", "bad", str(tmp_path)).code == 2
    listed = asked.command("repository", "list").out
    assert f"default  shop  {known.path}" in listed
    assert asked.command("repository", "add", "other", str(known.path), "--tenant", "two").code == 0
    assert "other" not in asked.client.get("/api/me").json["repositories"]
    assert asked.command("repository", "remove", "other").code == 2
    assert asked.command("repository", "remove", "other", "--tenant", "two").code == 0
    revisions = asked.client.get("/api/repositories/shop/revisions").json
    assert {"main", "topic"} <= set(revisions["branches"])


def test_what_the_service_cannot_read_is_refused_with_advice_that_helps(tmp_path: Path) -> None:
    data, borrowing, copy = tmp_path / "data", tmp_path / "borrowing", tmp_path / "copy"
    data.mkdir()
    nowhere = operate(data, "repository", "add", "x", str(tmp_path))
    assert (nowhere.code, "--" in nowhere.err) == (2, False), nowhere.err
    whole = Repo(tmp_path / "whole")
    whole.commit("a", {"a.txt": "a\n"})
    whole.git("clone", "-q", "--shared", str(whole.path), str(borrowing))
    refused = operate(data, "repository", "add", "x", str(borrowing))
    assert (refused.code, "--allow-alternates" in refused.err) == (2, False), refused.err
    assert f"git clone --bare --no-local {borrowing} COPY" in " ".join(refused.err.split())
    whole.git("clone", "-q", "--bare", "--no-local", str(borrowing), str(copy))
    assert operate(data, "repository", "add", "x", str(copy)).code == 0
