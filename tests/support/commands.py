"""Run the real `affidavit` command, in a folder, away from the user's own state and cache."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

AFFIDAVIT = Path(sys.executable).with_name("affidavit")


@dataclass(frozen=True)
class Done:
    """What a command did."""

    code: int
    out: str
    err: str


def affidavit(
    *arguments: str | Path,
    cwd: Path,
    stdin: bytes = b"",
    env: dict[str, str] | None = None,
    data: Path | None = None,
    program: Path = AFFIDAVIT,
) -> Done:
    """Run `affidavit` with these arguments, or that of another installation."""
    place = data or cwd.parent / "affidavit-data"
    # Without byte code every command compiles all that it imports, which takes longer than most of them.
    left_out = ("GIT_", "AFFIDAVIT_", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    environment = {
        **kept,
        "AFFIDAVIT_DATA": str(place),
        "AFFIDAVIT_CACHE": str(place / "cache"),
        **(env or {}),
    }
    done = subprocess.run(
        [program, *arguments],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        env=environment,
        check=False,
        timeout=120,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())
