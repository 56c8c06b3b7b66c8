"""A wing can be left out: the reviewer works without it, and does not know it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import affidavit
from repositories import Repo

PACKAGE = Path(affidavit.__file__).parent
IMPORT_ALL = """
import importlib, pkgutil
import affidavit
from affidavit.cli.command_line import COMMANDS
for one in pkgutil.walk_packages(affidavit.__path__, "affidavit."):
    if not one.name.endswith("__main__"):
        importlib.import_module(one.name)
print(affidavit.__file__, *COMMANDS)
"""
REVIEW = "from affidavit.cli.command_line import run; run()"


@pytest.mark.parametrize(("wing", "command"), [("lab", "eval"), ("service", "serve")])
def test_without_a_wing_the_reviewer_works(wing: str, command: str, tmp_path: Path, repo: Repo) -> None:
    installed = tmp_path / "installed"
    shutil.copytree(PACKAGE, installed / "affidavit", ignore=shutil.ignore_patterns("web", wing))
    environment = {**os.environ, "PYTHONPATH": str(installed)}

    def python(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        words = (sys.executable, "-c", program, *arguments)
        return subprocess.run(
            words, cwd=repo.path, env=environment, capture_output=True, text=True, check=False
        )

    listed = python(IMPORT_ALL)
    assert listed.returncode == 0, listed.stderr
    place, *commands = listed.stdout.split()
    assert place.startswith(str(installed))
    assert "review" in commands
    assert command not in commands

    repo.commit("base", {"app.py": "def total(items):\n    return sum(items)\n"})
    repo.commit("head", {"app.py": "def total(items):\n    return sum(itms)\n"})
    options = ("--format", "report", "--analysers-off", "ty", "--no-store")
    reviewed = python(REVIEW, "review", "HEAD", *options)
    assert reviewed.returncode == 1, reviewed.stderr
    assert [one["id"] for one in json.loads(reviewed.stdout)["candidates"]]
