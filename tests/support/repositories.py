"""Small real git repositories for tests: write files, commit them, run git."""

import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from plain_commits import NotPlainError, PlainCommits

IDENTITY = {
    "GIT_AUTHOR_NAME": "Ada Author",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05+00:00",
    "GIT_COMMITTER_NAME": "Ada Author",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05+00:00",
}


def clean_environment() -> dict[str, str]:
    """The environment without the user's own git settings, so that tests run the same everywhere."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {
        **kept,
        **IDENTITY,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "LC_ALL": "C",
    }


def run_git(folder: Path, *args: str | bytes, stdin: bytes = b"") -> bytes:
    """Run git in a folder and return what it prints; a failure fails the test with git's words."""
    done = subprocess.run(
        ["git", *args], cwd=folder, input=stdin, capture_output=True, env=clean_environment(), check=False
    )
    assert done.returncode == 0, f"git {args}: {done.stderr.decode(errors='replace')}"
    return done.stdout


@cache
def _new_repository() -> Path:
    """What `git init` makes, made once: most tests begin with it."""
    folder = Path(tempfile.mkdtemp(prefix="affidavit-tests-git-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    run_git(folder, "init", "-q", "-b", "main", "--template=")
    return folder


class Repo:
    """A repository in a folder of its own, on branch main."""

    def __init__(self, path: Path, *init_options: str) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        if init_options or (path / ".git").exists():
            self.git("init", "-q", "-b", "main", *init_options)
        else:
            shutil.copytree(_new_repository(), path, dirs_exist_ok=True)
        self._plain = PlainCommits(path, (_new_repository() / ".git" / "config").read_bytes(), IDENTITY)

    def git(self, *args: str | bytes, stdin: bytes = b"") -> str:
        """Run git here; the output without the line end."""
        return run_git(self.path, *args, stdin=stdin).decode(errors="replace").rstrip("\n")

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        """Write files into the working tree; None deletes one."""
        for name, content in files.items():
            place = self.path / name
            if content is None:
                place.unlink()
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, message: str = "A change", files: Mapping[str, str | bytes | None] | None = None) -> str:
        """Write the files, if any, and commit everything; the new commit's id."""
        self.write(files or {})
        with suppress(NotPlainError):
            return self._plain.commit(message)
        self.git("add", "-A", "-f")
        self.git("-c", "maintenance.auto=false", "commit", "-q", "--allow-empty", "-m", message)
        return self._head() or self.git("rev-parse", "HEAD")

    def _head(self) -> str | None:
        """What HEAD stands for, where that is said by a file of its own."""
        named = self.path / ".git" / "HEAD"
        place = named.read_text().strip().removeprefix("ref: ") if named.is_file() else ""
        file = self.path / ".git" / place
        return file.read_text().strip() if place.startswith("refs/") and file.is_file() else None
