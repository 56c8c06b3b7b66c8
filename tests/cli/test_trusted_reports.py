"""What was examined before counts only where the report of the review before can be trusted."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from commands import affidavit
from model_server import Script, serving
from repositories import Repo
from scripted_model import NOTHING, model

OFF = 'analysers_off = ["ty", "kingfisher", "references"]\n'
BUGGY = "def total(values):\n    result = 1\n    return result + sum(values)\n"
QUIET = {"review_result": NOTHING}


@pytest.fixture
def branch(repo: Repo) -> Repo:
    repo.commit("Base", {"affidavit.toml": OFF, "app.py": "def total(items):\n    return 0\n"})
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit("Sum", {"app.py": BUGGY})
    return repo


def reviewed(
    repo: Repo, address: str, out: Path, *options: str | Path, env: dict[str, str] | None = None
) -> dict[str, Any]:
    done = affidavit(
        "review", "main...feature", "--model", "openai:scripted", "--base-url", address, "--quiet",
        "--format", f"report={out}", *options, cwd=repo.path, env=env,
    )  # fmt: skip
    assert done.code in (0, 1), done.err
    content: dict[str, Any] = json.loads(out.read_text())
    return content


def shows_the_bug(script: Script, start: int = 0) -> bool:
    asked = (body for body in script.requests[start:] if "review_result" in json.dumps(body.get("tools", [])))
    return any("result = 1" in json.dumps(body["messages"][:2]) for body in asked)


def push_more(branch: Repo) -> None:
    branch.commit("More", {"other.py": "def f():\n    return 1\n"})


def test_a_report_of_another_server_spares_no_model_the_look(branch: Repo, tmp_path: Path) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    with serving(model(**QUIET)) as (address, _):
        reviewed(branch, address, first, "--no-store")
    push_more(branch)
    with serving(model(**QUIET)) as (address, script):
        content = reviewed(branch, address, second, "--no-store", "--previous", first)
    assert shows_the_bug(script)
    assert content["follow_up"]["previous"] == json.loads(first.read_text())["id"]
    assert not any(hunk["examined_before"] for file in content["coverage"] for hunk in file["hunks"])
    assert affidavit("recheck", second, cwd=branch.path).code == 0


def test_a_file_that_nobody_signed_counts_for_nothing_even_of_the_same_server(
    branch: Repo, tmp_path: Path
) -> None:
    first = tmp_path / "first.json"
    with serving(model(**QUIET)) as (address, script):
        reviewed(branch, address, first, "--no-store")
        push_more(branch)
        start = len(script.requests)
        content = reviewed(branch, address, tmp_path / "second.json", "--no-store", "--previous", first)
        assert shows_the_bug(script, start)
    assert "unsigned file" in content["follow_up"]["scope"]["reason"]


def test_the_own_store_is_trusted_and_another_address_is_another_model(branch: Repo, tmp_path: Path) -> None:
    data, out = tmp_path / "data", tmp_path / "report.json"
    with serving(model(**QUIET)) as (address, script):
        reviewed(branch, address, out, "--data", data)
        kept = out.rename(tmp_path / "kept.json")
        push_more(branch)
        start = len(script.requests)
        content = reviewed(branch, address, out, "--data", data, "--previous", kept)
        assert not content["follow_up"]["scope"]["is_whole"]
        assert not shows_the_bug(script, start)
    branch.commit("Still more", {"third.py": "def g():\n    return 2\n"})
    with serving(model(**QUIET)) as (elsewhere, script):
        content = reviewed(branch, elsewhere, out, "--data", data)
        assert content["follow_up"]["scope"]["is_whole"]
        assert shows_the_bug(script)
    assert content["settings"]["base_url"] == elsewhere


def test_a_report_that_an_allowed_signer_signed_is_trusted(branch: Repo, tmp_path: Path) -> None:
    key, signers = tmp_path / "key", tmp_path / "allowed"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    signers.write_text("ada@example.org " + key.with_suffix(".pub").read_text())
    config = tmp_path / "gitconfig"
    config.write_text(f'[gpg "ssh"]\n\tallowedSignersFile = {signers}\n')
    env = {"GIT_CONFIG_GLOBAL": str(config)}
    first = tmp_path / "first.json"
    with serving(model(**QUIET)) as (address, script):
        reviewed(branch, address, first, "--no-store")
        assert affidavit("sign", first, "--key", key, cwd=branch.path).code == 0
        push_more(branch)
        start = len(script.requests)
        options = ("--no-store", "--previous", first)
        content = reviewed(branch, address, tmp_path / "second.json", *options, env=env)
        assert not content["follow_up"]["scope"]["is_whole"]
        assert not shows_the_bug(script, start)
