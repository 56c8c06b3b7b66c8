"""Walls around a program: what it sees, and that building them changes nothing on the machine."""

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from affidavit.analysers.engine.execution import Limits, Outcome, has_walls, run_program, seen_by, walled

pytestmark = pytest.mark.skipif(not has_walls(), reason="this system has no sandbox")


def run_behind(tmp_path: Path, shown: list[Path], *command: str) -> Outcome:
    checkout, scratch = tmp_path / "checkout", tmp_path / "scratch"
    checkout.mkdir()
    scratch.mkdir()
    walls = partial(walled, checkout=checkout, scratch=scratch, limits=Limits(), shown=shown)
    environment = {"PATH": "/usr/bin:/bin"}
    return asyncio.run(
        run_program(command, folder=checkout, environment=environment, limits=Limits(), walls=walls)
    )


def test_a_file_within_a_folder_that_is_shown_keeps_its_content(tmp_path: Path) -> None:
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "node").write_text("content\n")
    outcome = run_behind(tmp_path, [folder, folder / "node"], "/bin/cat", str(folder / "node"))
    assert (outcome.exit_code, outcome.output) == (0, b"content\n")
    assert (folder / "node").read_text() == "content\n"


def test_a_program_sees_a_file_that_is_shown_and_not_the_one_beside_it(tmp_path: Path) -> None:
    (tmp_path / "seen").write_text("seen\n")
    (tmp_path / "secret").write_text("secret\n")
    outcome = run_behind(tmp_path, [tmp_path / "seen"], "/bin/cat", *map(str, tmp_path.glob("se*")))
    assert (outcome.exit_code, outcome.output) == (1, b"seen\n")


def test_a_program_writes_to_its_own_folders_only(tmp_path: Path) -> None:
    folder = tmp_path / "programs"
    folder.mkdir()
    script = f"echo own > own; echo evil > {folder}/evil; echo evil > /usr/evil; true"
    outcome = run_behind(tmp_path, [folder], "/bin/sh", "-c", script)
    assert outcome.exit_code == 0, outcome.errors
    assert (tmp_path / "checkout" / "own").exists()
    assert not (folder / "evil").exists()
    assert not Path("/usr/evil").exists()


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder in the home: a sandbox never shows the temporary one."""
    with tempfile.TemporaryDirectory(dir=Path.home(), prefix=".walls-") as folder:
        yield Path(folder)


def test_a_program_from_elsewhere_sees_nothing_of_the_home_but_its_own_folder(
    tmp_path: Path, home: Path
) -> None:
    secret, program = home / "secret", home / "bin" / "quote"
    program.parent.mkdir()
    secret.write_text("secret\n")
    program.write_text('#!/bin/sh\ncat "$0" "$@"\n')
    program.chmod(0o755)
    outcome = run_behind(tmp_path, seen_by(program), str(program), str(secret))
    assert (outcome.exit_code, outcome.output) == (1, program.read_bytes())
    assert not any(Path.home().is_relative_to(one) for one in seen_by(Path.home() / "quote"))
    (tmp_path / "system").mkdir()
    outcome = run_behind(tmp_path / "system", seen_by(Path("/usr/bin/cat")), "/usr/bin/cat", str(secret))
    assert (outcome.exit_code, outcome.output) == (1, b"")


def test_a_program_of_another_environment_runs_with_its_packages(tmp_path: Path, home: Path) -> None:
    made = [sys.executable, "-m", "venv", "--without-pip", str(home / "tools")]
    subprocess.run(made, check=True)
    (package,) = (home / "tools" / "lib").glob("python*/site-packages")
    (package / "house.py").write_text("print('ran')\n")
    program = home / "tools" / "bin" / "house"
    program.write_text(f"#!{home}/tools/bin/python\nimport house\n")
    program.chmod(0o755)
    outcome = run_behind(tmp_path, seen_by(program), str(program))
    assert (outcome.exit_code, outcome.output) == (0, b"ran\n"), outcome.errors
