"""A change with a blocking problem, and the reports of two reviews of it: without and with a model."""

import json

import pytest

from commands import affidavit
from model_server import serving
from remade import Machine, Made
from repositories import Repo
from scripted_model import model

BASE = {
    "affidavit.toml": 'severity_threshold = "low"\n',
    "app.py": "def total(items):\n    return sum(items)\n",
    ".affidavit/ignored.toml": '[[ignore]]\nfingerprint = "0123456789abcdef"\nwhy = "never"\n',
}
HEAD = {
    "app.py": "def total(items):\n    result = 1\n    for item in items:\n        result += itm\n"
    "    return result\n",
    "run.py": "import subprocess\n\n\ndef run(name):\n    subprocess.run(f'tar {name}', shell=True)\n",
    "notes.txt": "a\n",
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo(tmp_path_factory.mktemp("forged"))
    repo.commit("Base", BASE)
    repo.commit("Sum by hand\n\nIt is faster.", HEAD)
    return repo


@pytest.fixture(scope="module")
def machine() -> Machine:
    return Machine()


@pytest.fixture(scope="module")
def mechanical(repository: Repo, machine: Machine) -> Made:
    done = affidavit("review", "HEAD", "--format", "report", "--no-store", cwd=repository.path)
    return Made(repository.path, json.loads(done.out), machine)


@pytest.fixture(scope="module")
def modelled(repository: Repo, machine: Machine) -> Made:
    with serving(model()) as (address, _):
        options = ("--model", "openai:scripted", "--base-url", address, "--format", "report", "--no-store")
        done = affidavit("review", "HEAD", *options, cwd=repository.path, env={"OPENAI_API_KEY": "none"})
    return Made(repository.path, json.loads(done.out), machine)


@pytest.fixture(params=["mechanical", "modelled"])
def made(request: pytest.FixtureRequest) -> Made:
    value: Made = request.getfixturevalue(request.param)
    return value
