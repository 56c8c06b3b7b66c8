"""The commits that tools go through: the last ones of a repository, or its whole tree as one change."""

import argparse
import subprocess
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

SETTINGS = """
.bandit .eslintignore .eslintrc.json .flake8 .gitattributes .hadolint.yaml .oxlintrc.json .prettierignore
.pre-commit-config.yaml .ruff.toml .shellcheckrc .yamllint affidavit.toml biome.json package.json
pyproject.toml ruff.toml setup.cfg tox.ini
""".split()  # noqa: SIM905 - twenty lines otherwise
"""Files in which analysers find their settings and what to leave out."""


@dataclass(frozen=True)
class Commit:
    """One commit to review, against its first parent or against what is named."""

    repository: str
    folder: Path
    id: str
    base: str = ""

    @property
    def target(self) -> str:
        """Return the change as `affidavit review` takes it."""
        return f"{self.base}..{self.id}" if self.base else self.id


def chosen_commits(folder: Path, asked: argparse.Namespace) -> list[Commit]:
    """Return what is asked for of one repository."""
    return whole_tree(folder, asked) if asked.whole else last_commits(folder, asked.commits, asked.before)


def last_commits(folder: Path, count: int, before: str | None = None) -> list[Commit]:
    """Return the last commits of the main line; a merge counts as one change."""
    name = _name_of(folder)
    return [Commit(name, folder, commit) for commit in _listed(folder, count, before)]


def whole_tree(folder: Path, asked: argparse.Namespace) -> list[Commit]:
    """Return the last commit as if all of it were new: its base has only the settings."""
    name = _name_of(folder)
    return [
        Commit(name, folder, commit, _only_settings(folder, commit))
        for commit in _listed(folder, 1, asked.before)
    ]


def _listed(folder: Path, count: int, before: str | None) -> list[str]:
    until = [f"--before={before}"] if before else []
    wanted = f"--max-count={count}"
    return _git(folder, "rev-list", "--first-parent", "--min-parents=1", wanted, *until, "HEAD", "--").split()


def _only_settings(folder: Path, commit: str) -> str:
    """Make a commit that nothing refers to; `git gc` removes it."""
    entries = _git(folder, "ls-tree", commit).splitlines()
    kept = [entry for entry in entries if entry.partition("\t")[2] in SETTINGS]
    tree = _git(folder, "mktree", text="".join(f"{entry}\n" for entry in kept))
    who = ["-c", "user.name=sweep", "-c", "user.email=sweep@example.org"]
    return _git(folder, *who, "commit-tree", tree, "-m", "Settings alone")


def _name_of(folder: Path) -> str:
    """Return OWNER/NAME by where it was cloned from, else the name of the folder."""
    address = _git(folder, "config", "--default=", "--get", "remote.origin.url")
    parts = urlsplit(address).path.removesuffix(".git").strip("/").split("/")
    return "/".join(parts[-2:]) if urlsplit(address).scheme else folder.resolve().name


def revision_of(folder: Path) -> str:
    """Return the commit that a folder is checked out at; nothing if it is no repository."""
    command = ["git", "-C", str(folder), "rev-parse", "--short=12", "HEAD"]
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout.strip()


def _git(folder: Path, *arguments: str, text: str | None = None) -> str:
    command: list[str | Path] = ["git", "-C", folder, *arguments]
    done = subprocess.run(command, check=False, capture_output=True, text=True, input=text)
    if done.returncode:
        raise SystemExit(f"{folder}: {done.stderr.strip()}")
    return done.stdout.strip()
