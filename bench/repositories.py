"""The repositories that sections measure: Django's source distribution, or a small one made on the spot."""

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

DJANGO_VERSION = "5.2"
IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Bench"), ("EMAIL", "bench@affidavit.example"))
}
SMALL_FILES = {
    "shop/__init__.py": "",
    "shop/text.py": "def clean(name):\n    return name.strip()\n",
    "shop/order.py": "from shop.text import clean\n\n\ndef label(order):\n    return clean(order)\n",
    "checks/__init__.py": "",
    "checks/test_text.py": "from shop.text import clean\n\n\ndef test_clean():\n    assert clean('')\n",
}


@dataclass(frozen=True)
class Project:
    """Python sources and a small change to them."""

    name: str
    make_sources: Callable[[Path], None]
    """Writes them into a new folder; a second folder beside it may keep downloads."""
    packages: tuple[str, ...]
    changed: str
    old: str
    new: str


def run(*command: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    """Run a command and return what it prints."""
    variables = {**os.environ, **IDENTITY, **(env or {})}
    done = subprocess.run(command, cwd=cwd, env=variables, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(folder: Path, message: str, files: Mapping[str, str] | None = None) -> str:
    """Write files, commit everything in the folder, and return the commit."""
    for path, text in (files or {}).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    if not (folder / ".git").is_dir():
        run("git", "init", "-q", "-b", "main", cwd=folder)
    run("git", "add", "--all", "--force", cwd=folder)
    run("git", "-c", "commit.gpgsign=false", "commit", "-q", "-m", message, cwd=folder)
    return run("git", "rev-parse", "HEAD", cwd=folder)


def repository(folder: Path, project: Project) -> Path:
    """Return a repository of two commits, the second a small change; it is made once."""
    place = folder / "repository"
    if (place / ".git" / "ready").is_file():
        return place
    shutil.rmtree(place, ignore_errors=True)
    project.make_sources(place)
    commit(place, project.name)
    text = (place / project.changed).read_text()
    if project.old not in text:
        raise RuntimeError(f"{project.changed} of {project.name} is not as expected")
    commit(place, "Let callers choose", {project.changed: text.replace(project.old, project.new)})
    (place / ".git" / "ready").touch()
    return place


def repaired_repository(place: Path) -> Path:
    """Make a small repository in which a later commit repairs what an earlier one broke."""
    _small_sources(place)
    commit(place, "Begin")
    broken = commit(place, "Strip less", {"shop/text.py": "def clean(name):\n    return name.lstrip()\n"})
    fixed = SMALL_FILES["shop/order.py"].replace("clean(order)", "clean(order).rstrip()")
    commit(place, f"Strip both sides\n\nRegression in {broken}.", {"shop/order.py": fixed})
    return place


def _django_sources(place: Path) -> None:
    unpacked = place.parent / f"Django-{DJANGO_VERSION}"
    if not unpacked.is_dir():
        pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:")
        run(*pip, "--dest", place.parent, f"django=={DJANGO_VERSION}")
        with tarfile.open(unpacked.with_name(f"{unpacked.name}.tar.gz")) as packed:
            packed.extractall(place.parent, filter="data")
    shutil.copytree(unpacked, place, symlinks=True)


def _small_sources(place: Path) -> None:
    for path, text in SMALL_FILES.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text)


DJANGO = Project(
    f"Django {DJANGO_VERSION}",
    _django_sources,
    packages=("django", "tests"),
    changed="django/utils/text.py",
    old="def get_valid_filename(name):\n",
    new='def get_valid_filename(name, replacement=""):\n',
)
SMALL = Project(
    "a small project",
    _small_sources,
    packages=("shop", "checks"),
    changed="shop/text.py",
    old="def clean(name):\n",
    new='def clean(name, extra=""):\n',
)
