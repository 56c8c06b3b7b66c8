"""Run the real `affidavit` command, in a folder, away from the user's own state and cache."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from forks import SHARED_CACHE, forks

AFFIDAVIT = Path(sys.executable).with_name("affidavit")


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


NEEDS_A_START = ("PYTHON", "LC_", "LANG", "LD_")
"""Variables that Python reads when it starts."""


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
    if program == AFFIDAVIT and not any(name.startswith(NEEDS_A_START) for name in env or {}):
        code, out, err = forks().run(
            [str(program), *map(str, arguments)], cwd, stdin, environment_of(own, env), timeout_seconds=120
        )
        return Done(code, out.decode(), err.decode())
    return _started(program, *arguments, cwd=cwd, stdin=stdin, env=env, data=own)


def _started(
    program: Path, *arguments: str | Path, cwd: Path, stdin: bytes, env: dict[str, str] | None, data: Path
) -> Done:
    # Another installation keeps its own answers, for all tests that share it.
    apart = {} if program == AFFIDAVIT else {"AFFIDAVIT_CACHE": str(program.parents[1] / "cache")}
    done = subprocess.run(
        [program, *arguments],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        env=environment_of(data, {**apart, **(env or {})}),
        check=False,
        timeout=120,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())
