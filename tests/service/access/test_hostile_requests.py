"""Requests made to break a server: spellings of a token, deep JSON, odd revisions, forged addresses."""

import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from affidavit.service.problems import FULL
from repositories import Repo
from service_process import ONLY_RUFF, Client, Service, make_token, operate, serving

PACE = 40


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[tuple[Client, Service]]:
    """A server on loopback without a worker, asked by its user."""
    with serving(folder, "--no-work", environment=ONLY_RUFF) as (client, service):
        yield client, service


def test_every_spelling_of_a_token_counts_as_the_same_caller(tmp_path: Path) -> None:
    token = make_token(tmp_path, "me", "read")
    limits = ("--require-token", "--no-work", "--requests-per-minute", str(PACE))
    with serving(tmp_path, *limits) as (client, _):
        spellings = [
            "".join(letter.upper() if number >> bit & 1 else letter for bit, letter in enumerate("bearer"))
            + " " * (1 + number // 64)
            + token
            for number in range(2 * PACE)
        ]
        answers = [client.get("/api/me", Authorization=spelling).status for spelling in spellings]
    assert len(set(spellings)) == 2 * PACE
    # A few more than the pace: time passes meanwhile.
    assert PACE <= answers.count(200) < 1.5 * PACE
    assert set(answers) == {200, 429}


@pytest.mark.parametrize("depth", [500, 900, 5_000, 200_000])
def test_deeply_nested_json_is_refused_as_a_fault_of_the_request(
    served: tuple[Client, Service], depth: int
) -> None:
    nested = b'{"diff_text": ' + b"[" * depth + b"]" * depth + b"}"
    answer = served[0].ask("POST", "/api/review", nested)
    assert answer.status in (400, 422), answer.text


@pytest.mark.parametrize("name", ["^main", "main^!", "^HEAD", "--all", "main..main", ":/x", "main^{tree}"])
def test_a_base_that_names_no_commit_is_a_fault_of_the_request(
    served: tuple[Client, Service], folder: Path, tmp_path: Path, name: str
) -> None:
    Repo(tmp_path).commit("Begin", {"a.py": "x = 1\n"})
    assert operate(folder, "repository", "add", "known", str(tmp_path)).code == 0
    wanted = {"repository": "known", "base": name, "head": "main"}
    answer = served[0].post("/api/review", wanted)
    assert (answer.status, name in answer.json["detail"]) == (422, True), answer.text


def test_a_server_without_room_on_its_disk_is_not_ready(tmp_path: Path) -> None:
    with serving(tmp_path, "--no-work") as (client, service):
        # No file may grow: to the server that is what a full disk is.
        limit, process = resource.RLIMIT_FSIZE, service.process.pid
        before = resource.prlimit(process, limit)
        resource.prlimit(process, limit, (4_000_000, before[1]))
        full = client.get("/api/ready")
        resource.prlimit(process, limit, before)
        assert (full.status, full.json["detail"]) == (503, FULL)
        assert "File too large" in service.log.read_text()
        assert client.get("/api/ready").status == 200


def test_a_forwarded_address_is_believed_only_from_a_proxy_that_the_operator_named(tmp_path: Path) -> None:
    def answers(folder: Path, environment: dict[str, str]) -> set[int]:
        limits = ("--no-work", "--requests-per-minute", str(PACE))
        with serving(folder, *limits, environment=environment) as (client, _):
            made_up = (f"192.0.2.{number}" for number in range(2 * PACE))
            return {client.get("/api/me", **{"X-Forwarded-For": one}).status for one in made_up}

    assert 429 in answers(tmp_path / "plain", {})
    assert answers(tmp_path / "named", {"FORWARDED_ALLOW_IPS": "127.0.0.1"}) == {200}
