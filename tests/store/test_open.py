import subprocess
import sys
from pathlib import Path

from repositories import Repo

HEAVY = "print([name for name in ('sqlalchemy', 'psycopg') if name in sys.modules])"


def loaded_by(program: str, *arguments: str | Path, cwd: Path) -> str:
    """Which of the heavy packages a program has loaded at its end."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import atexit, sys\natexit.register(lambda: {HEAVY})\n{program}",
            *arguments,
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
    )
    return done.stdout.splitlines()[-1]


RUN = "sys.argv[0] = 'affidavit'\nfrom affidavit.__main__ import main\nmain()"


def test_help_loads_no_database(tmp_path: Path) -> None:
    assert loaded_by(RUN, "--help", cwd=tmp_path) == "[]"


def test_a_review_without_a_store_loads_no_database(repo: Repo, tmp_path: Path) -> None:
    repo.commit("base", {"a.py": "x = 1\n"})
    repo.commit("head", {"a.py": "x = 2\n"})
    data = tmp_path / "data"
    assert loaded_by(RUN, "review", "HEAD~1..HEAD", "--no-store", "--data", data, cwd=repo.path) == "[]"
    assert not data.exists()
