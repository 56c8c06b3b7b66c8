"""A large real repository: Django's source distribution, committed, with a small change on top."""

import subprocess
import sys
import tarfile
from pathlib import Path

from bench.commits import git

VERSION = "5.2"
FOLDER = Path(".bench")
CHANGED = "django/utils/text.py"


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Run a command and return what it prints."""
    done = subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def source() -> Path:
    """Django's sources, downloaded once."""
    unpacked = FOLDER / f"Django-{VERSION}"
    if not unpacked.is_dir():
        FOLDER.mkdir(exist_ok=True)
        pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:")
        run(*pip, "--dest", FOLDER, f"django=={VERSION}")
        with tarfile.open(FOLDER / f"Django-{VERSION}.tar.gz") as packed:
            packed.extractall(FOLDER, filter="data")
    return unpacked


def repository() -> Path:
    """A repository of two commits, the second a small change that renames a parameter's default."""
    place = FOLDER / "repository"
    if (place / ".git").is_dir():
        return place
    run("cp", "-r", source(), place)
    git(place, "init", "--quiet")
    git(place, "add", "--all", "--force")
    git(place, "commit", "--quiet", "--message", f"Django {VERSION}")
    changed = place / CHANGED
    text = changed.read_text()
    old = "def get_valid_filename(name):\n"
    if old not in text:
        raise SystemExit(f"{CHANGED} is not as expected")
    changed.write_text(text.replace(old, 'def get_valid_filename(name, replacement=""):\n'))
    git(place, "commit", "--quiet", "--all", "--message", "Let callers choose")
    return place
