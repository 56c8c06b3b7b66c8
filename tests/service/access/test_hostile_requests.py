"""Requests made to break a server: spellings of a token, deep JSON, odd revisions, forged addresses."""

import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from affidavit.service.problems import FULL
from repositories import Repo
from service_process import ONLY_RUFF, Client, Service, operate, serving


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[tuple[Client, Service]]:
    """A server on loopback without a worker, asked by its user."""
    with serving(folder, "--no-work", environment=ONLY_RUFF) as (client, service):
        yield client, service


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
