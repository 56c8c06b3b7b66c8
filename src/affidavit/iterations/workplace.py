"""Manage the copy that an agent works in, and commit its work.

The copy and its `.git` are the agent's. Commits go to a repository of ours, out of its reach, and
nothing is written into the user's repository before `leave_branch`.
"""

import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from affidavit.errors import GitError, InputError, OutsideError, SettingsError
from affidavit.git.command import Git, Location
from affidavit.records.record import Record
from affidavit.system import supervisor
from affidavit.system.child_process import run_child
from affidavit.system.private_files import make_private_folder

PLACEHOLDER = "{feedback}"
VARIABLE = "AFFIDAVIT_FEEDBACK"
MAX_OUTPUT_BYTES = 20_000_000
KEPT_OUTPUT = 4_000
"""Characters of its last output that are kept."""

AgentState = Literal["ended", "failed", "timed_out", "flooded"]


class AgentRun(Record):
    """How an agent ended."""

    state: AgentState
    exit_code: int = 0
    output: str = ""


async def run_agent(command: str, copy: Path, feedback: Path, seconds: float) -> AgentRun:
    """Run the command in the copy, and end every process that it started."""
    if not command.strip():
        raise SettingsError("--agent needs a command")
    line = command.replace(PLACEHOLDER, shlex.quote(str(feedback)))
    # The document is also its standard input. A shell runs the command as users would type it.
    script = f'exec < "${VARIABLE}"\n{line}\n'
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {VARIABLE: str(feedback), "PWD": str(copy)}
    try:
        ended = await run_child(
            [sys.executable, "-I", "-S", supervisor.__file__, "/bin/sh", "-c", script],
            folder=copy,
            environment=environment,
            seconds=seconds,
            max_bytes=MAX_OUTPUT_BYTES,
            asked_to_end=True,
        )
    except OSError as error:
        raise SettingsError(f"--agent: the command cannot be started: {error.strerror}") from error
    said = (ended.output + b"\n" + ended.errors).decode("utf-8", "replace").strip()[-KEPT_OUTPUT:]
    state: AgentState = "failed" if ended.exit_code else "ended"
    if ended.state != "exited":
        state = "timed_out" if ended.state == "timed_out" else "flooded"
    return AgentRun(state=state, exit_code=ended.exit_code, output=said)


EXCLUDED = "__pycache__/\n*.pyc\n.pytest_cache/\n.mypy_cache/\n.ruff_cache/\nnode_modules/\n.venv/\n"
"""Files that an agent's tools leave behind, ignored beside what the repository ignores."""
IDENTITY = {
    "GIT_AUTHOR_NAME": "Affidavit",
    "GIT_AUTHOR_EMAIL": "affidavit@localhost",
    "GIT_COMMITTER_NAME": "Affidavit",
    "GIT_COMMITTER_EMAIL": "affidavit@localhost",
}
"""The author of the agent's commits."""


@dataclass(frozen=True)
class Workplace:
    """The user's repository, our own for the commits of the loop, and the agent's copy."""

    user: Location
    own: Path
    """A folder that is used as a git directory."""
    copy: Path

    def prepare(self, commit: str) -> None:
        """Reset the copy to a commit; keep ignored files, which the agent may have built."""
        try:
            make_private_folder(self.own.parent)
            if not (self.own / "HEAD").is_file():
                self._init(self.own)
            shutil.rmtree(self.copy / ".git", ignore_errors=True)
            self.copy.mkdir(parents=True, exist_ok=True)
            self._init(self.copy / ".git")
        except OSError as error:
            raise OutsideError(f"the copy {self.copy} cannot be made: {error.strerror}") from error
        git = self._copy_git
        git.run("update-ref", "--no-deref", "HEAD", commit)
        git.run("reset", "-q", "--hard", commit)
        # Twice, to remove also folders with a repository of their own.
        git.run("clean", "-q", "-f", "-f", "-d")

    def commit(self, parent: str, message: str) -> str | None:
        """Commit what git does not ignore in the copy; None if nothing changed."""
        # The files of an inner repository are added, without its history.
        for inner in self.copy.rglob(".git"):
            if inner.parent != self.copy:
                _remove(inner)
        git = self._taking_git
        try:
            git.run("read-tree", parent)
            git.run("add", "--all", "--", ".")
        except GitError as error:
            raise OutsideError(
                f"the agent's work in {self.copy} cannot be committed: {error}; look there, or start over "
                "with --fresh"
            ) from error
        tree = git.line("write-tree")
        if tree == git.line("rev-parse", f"{parent}^{{tree}}"):
            return None
        return git.having(IDENTITY).line("commit-tree", tree, "-p", parent, "-m", message)

    def is_same(self, one: str, other: str) -> bool:
        """Check whether two commits hold the same files."""
        trees = [self._own_git.line("rev-parse", f"{commit}^{{tree}}") for commit in (one, other)]
        return trees[0] == trees[1]

    def diff(self, one: str, other: str) -> bytes:
        return self._own_git.run("diff-tree", "-p", "--binary", "--no-ext-diff", one, other)

    def resolve(self, name: str) -> str:
        """Resolve a name to a commit of the user's repository."""
        done = self._user_git.attempt(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"
        )
        if done.returncode != 0:
            raise InputError(f"there is no commit called {name!r} here; check the name, or run `git fetch`")
        return done.stdout.decode().strip()

    def merge_base(self, one: str, other: str) -> str:
        done = self._user_git.attempt("merge-base", one, other)
        if done.returncode != 0:
            raise InputError(f"{one[:8]} and {other[:8]} have no commit in common; pass BASE..BRANCH")
        return done.stdout.decode().split()[0]

    def branch_exists(self, name: str) -> bool:
        """Check whether the user's repository has such a branch."""
        return self._user_git.attempt("show-ref", "--verify", "--quiet", f"refs/heads/{name}").returncode == 0

    def refuse_name(self, name: str) -> None:
        """Raise InputError where no new branch can have this name."""
        if self._user_git.attempt("check-ref-format", "--branch", name).returncode != 0:
            raise InputError(f"{name!r} is not a valid branch name; choose another with --branch")
        if self.branch_exists(name):
            raise InputError(f"there is a branch {name} already; choose another name with --branch")

    def leave_branch(self, name: str, commit: str, start: str) -> None:
        """Bring the commits since `start` into the user's repository, as one new branch."""
        self.refuse_name(name)
        wanted = f"{commit}\n^{start}\n".encode()
        pack = self._own_git.run("pack-objects", "--revs", "--thin", "--stdout", "-q", stdin=wanted)
        self._user_git.run("index-pack", "--stdin", "--fix-thin", stdin=pack)
        # The zeros: only where there is no such branch.
        self._user_git.run("update-ref", f"refs/heads/{name}", commit, "0" * len(commit))

    def forget_copy(self) -> None:
        """Delete the copy of an interrupted loop."""
        shutil.rmtree(self.copy, ignore_errors=True)

    def remove(self) -> None:
        """Delete the copy and our commits."""
        for folder in (self.copy, self.own):
            shutil.rmtree(folder, ignore_errors=True)

    def _init(self, git_dir: Path) -> None:
        git = Git(git_dir.parent)
        git.run("init", "-q", "--template=", "--bare", str(git_dir))
        if git_dir == self.copy / ".git":
            git.run("--git-dir", str(git_dir), "config", "core.bare", "false")
        info = git_dir / "objects" / "info"
        info.mkdir(parents=True, exist_ok=True)
        others = [self.user.objects, *([self.own / "objects"] if git_dir != self.own else [])]
        (info / "alternates").write_bytes(b"".join(os.fsencode(path) + b"\n" for path in others))
        (git_dir / "info").mkdir(exist_ok=True)
        (git_dir / "info" / "exclude").write_text(EXCLUDED)

    @property
    def _user_git(self) -> Git:
        return Git(self.user.common_dir).having({"GIT_DIR": str(self.user.common_dir)})

    @property
    def _own_git(self) -> Git:
        return Git(self.own).having({"GIT_DIR": str(self.own)})

    @property
    def _taking_git(self) -> Git:
        """Return git of our repository with the agent's copy as its files."""
        places = {"GIT_WORK_TREE": str(self.copy), "GIT_INDEX_FILE": str(self.own / "index")}
        return self._own_git.having({**places, "GIT_LITERAL_PATHSPECS": "1"})

    @property
    def _copy_git(self) -> Git:
        places = {"GIT_DIR": str(self.copy / ".git"), "GIT_WORK_TREE": str(self.copy)}
        return Git(self.copy).having(places)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
