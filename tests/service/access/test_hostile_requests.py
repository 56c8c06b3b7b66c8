"""Requests made to break a server: spellings of a token, deep JSON, odd revisions, forged addresses."""

from collections.abc import Iterator
from pathlib import Path

import pytest

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
