"""Run the real `affidavit` command, in a folder, away from the user's own state and cache."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

AFFIDAVIT = Path(sys.executable).with_name("affidavit")
SHARED_CACHE = "TESTS_SHARED_CACHE"
"""The folder in which all commands of a run keep what analysers said: many tests review the same files."""


@dataclass(frozen=True)
class Done:
    """What a command did."""

    code: int
    out: str
    err: str


def environment_of(data: Path, more: dict[str, str] | None = None) -> dict[str, str]:
    """The variables for a command: none of the user's own for git or Affidavit, and its state in a folder."""
    # Without byte code every command compiles all that it imports, which takes longer than most of them.
    left_out = ("GIT_", "AFFIDAVIT_", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    own = {"AFFIDAVIT_DATA": str(data), "AFFIDAVIT_CACHE": os.environ.get(SHARED_CACHE, str(data / "cache"))}
    return {**kept, **own, **(more or {})}


def affidavit(
    *arguments: str | Path,
    cwd: Path,
    stdin: bytes = b"",
    env: dict[str, str] | None = None,
    data: Path | None = None,
    program: Path = AFFIDAVIT,
) -> Done:
    """Run `affidavit` with these arguments, or that of another installation, which has to look for itself."""
    own = data or cwd.parent / "affidavit-data"
    apart = {} if program == AFFIDAVIT else {"AFFIDAVIT_CACHE": str(own / "cache")}
    done = subprocess.run(
        [program, *arguments],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        env=environment_of(own, {**apart, **(env or {})}),
        check=False,
        timeout=120,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())
