"""Run git safely, and turn its failures into errors that say what to do."""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from affidavit.errors import GitError
from affidavit.system.child_process import ended_after, own_cpu_seconds

TIMEOUT_SECONDS = 120.0

# The user's own settings, and how far a search for the repository goes.
# Everything else that begins with GIT_ could point git at other objects or make it run something.
KEPT_VARIABLES = (
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
)
# A hook gets these from git and means them; a named folder overrules them.
HOOK_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")

FIXED_VARIABLES = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": "/dev/null",
    # Without a remote there is nothing to fetch from; no setting of the repository can overrule this one.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_PAGER": "cat",
}

FIXED_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.quotePath=false",
    "core.safecrlf=false",
    "core.splitIndex=false",
    # A file that says which tree and parents a commit has, without the commit.
    "core.commitGraph=false",
    "advice.addEmbeddedRepo=false",
    "blame.ignoreRevsFile=",
    # An empty name fails in `git status`, which git itself runs in submodules.
    "diff.orderFile=/dev/null",
    "diff.suppressBlankEmpty=false",
    "diff.renameLimit=1000",
    "grep.patternType=default",
    "log.showSignature=false",
    "mailmap.file=/dev/null",
    "mailmap.blob=",
    "submodule.recurse=false",
    # A partial clone would fetch what it lacks; git before 2.45 ignores GIT_NO_LAZY_FETCH.
    "protocol.allow=never",
)


def git_environment(keep_hook_variables: bool) -> dict[str, str]:
    """Return the user's environment without the variables that redirect git."""
    kept = (*KEPT_VARIABLES, *(HOOK_VARIABLES if keep_hook_variables else ()))
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in kept}
    return {**plain, **FIXED_VARIABLES}


@dataclass(frozen=True)
class Git:
    """A folder to run git in, and the environment to run it with."""

    folder: Path
    environment: Mapping[str, str] = field(default_factory=lambda: git_environment(False))
    settings: tuple[str, ...] = ()

    def having(self, variables: Mapping[str, str]) -> "Git":
        return replace(self, environment={**self.environment, **variables})

    def command(self, args: Sequence[str | bytes]) -> list[str | bytes]:
        """Return the whole argument list of a git call."""
        configuration = [part for setting in (*FIXED_SETTINGS, *self.settings) for part in ("-c", setting)]
        return ["git", "--no-pager", *configuration, *args]

    def attempt(
        self,
        *args: str | bytes,
        stdin: bytes = b"",
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git and return what happened, whatever its exit code."""
        try:
            process = self.start(args, stdin=subprocess.PIPE)
        except ValueError as error:
            raise GitError(f"git {_shown(args)}: {error}") from error
        with (
            process,
            ended_after(timeout_seconds, partial(own_cpu_seconds, process.pid), process.kill) as late,
        ):
            output, errors = process.communicate(stdin)
        if late.is_set():
            raise GitError(f"git {_shown(args)} took longer than {timeout_seconds:g} seconds", retryable=True)
        _refuse_foreign_owner(errors)
        return subprocess.CompletedProcess(args, process.returncode, output, errors)

    def start(
        self, args: Sequence[str | bytes], *, stdin: int = subprocess.DEVNULL, has_own_group: bool = False
    ) -> subprocess.Popen[bytes]:
        """Start git for a caller who reads its output and ends it, perhaps with its own process group."""
        try:
            return subprocess.Popen(
                self.command(args),
                cwd=self.folder,
                env=dict(self.environment),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                process_group=0 if has_own_group else None,
            )
        except OSError as error:
            raise spawn_error(error, self.folder) from error

    def run(
        self,
        *args: str | bytes,
        stdin: bytes = b"",
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> bytes:
        """Run git and return what it prints; raises GitError where it fails."""
        done = self.attempt(*args, stdin=stdin, timeout_seconds=timeout_seconds)
        if done.returncode != 0:
            _refuse_incomplete_clone(done.stderr)
            raise GitError(f"git {_shown(args)} failed: {complaint(done.stderr)}")
        return done.stdout

    def line(self, *args: str | bytes, stdin: bytes = b"") -> str:
        return os.fsdecode(self.run(*args, stdin=stdin)).rstrip("\n")


def _shown(args: Sequence[str | bytes]) -> str:
    words = [arg.decode("utf-8", "backslashreplace") if isinstance(arg, bytes) else arg for arg in args]
    text = " ".join(words)
    return text if len(text) <= 200 else text[:200] + "…"


def complaint(stderr: bytes) -> str:
    """Return the error that git printed, on one line."""
    lines = [line.strip() for line in stderr.decode("utf-8", "backslashreplace").splitlines() if line.strip()]
    serious = [line for line in lines if line.startswith(("fatal:", "error:"))] or lines[:3]
    return "; ".join(serious)[:500] or "it gave no reason"


def spawn_error(error: OSError, folder: Path) -> GitError:
    """Say why git could not be started."""
    if isinstance(error, FileNotFoundError) and folder.is_dir():
        return GitError("the git command was not found: install git and put it on PATH")
    return GitError(f"git cannot run in {folder}: {error.strerror or error}")


def _refuse_foreign_owner(stderr: bytes) -> None:
    if b"dubious ownership" not in stderr:
        return
    named = re.search(rb"dubious ownership in repository at '([^']*)'", stderr)
    folder = os.fsdecode(named.group(1)) if named else "the repository's folder"
    raise GitError(
        f"git does not trust {folder}, because it belongs to another user; "
        f"if you trust it, run: git config --global --add safe.directory {folder}"
    )


def _refuse_incomplete_clone(stderr: bytes) -> None:
    named = re.search(rb"(?:could not fetch|unable to read (?:tree |blob )?)[ (]*([0-9a-f]{40,64})", stderr)
    if named is not None:
        lacking = f"the repository lacks the object {named.group(1).decode()}, so this change cannot be read"
        looking = "" if b"promisor" in stderr else "check it with `git fsck`; if it is not damaged, "
        raise GitError(f"{lacking}; {looking}{partial_clone_advice()}")


def partial_clone_advice() -> str:
    """Name the command that gets the objects which a partial clone lacks."""
    return (
        "this clone is partial: complete it with `git fetch --refetch --no-filter`, which contacts "
        "the remote that the repository names (`git remote -v` shows it); Affidavit itself contacts none"
    )


@dataclass(frozen=True)
class Location:
    """The parts of a repository."""

    git_dir: Path
    common_dir: Path
    work_tree: Path | None
    index: Path
    is_shallow: bool

    @property
    def objects(self) -> Path:
        return self.common_dir / "objects"
