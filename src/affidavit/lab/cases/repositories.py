"""Find the repository of a case: a folder, a bundle, a written history, or a clone made once and kept."""

import asyncio
import hashlib
import os
import re
import shutil
import tempfile
from collections import defaultdict
from pathlib import Path
from urllib.parse import unquote, urlsplit

from affidavit.errors import GitError, InputError, NotARepositoryError
from affidavit.git.command import Git, complaint, git_environment, spawn_error
from affidavit.git.confined.location import find_repository
from affidavit.lab.cases.folders import CaseFolder, folder_name
from affidavit.lab.cases.written_history import build_history, is_written_history
from affidavit.system.child_process import run_child
from affidavit.system.private_files import make_private_folder

PROTOCOLS = ("https", "http", "ssh", "git", "file")
CLONE_SECONDS = 3600.0
COMPLAINT_BYTES = 1024 * 1024
SCP_ADDRESS = re.compile(r"[\w.-]+@[\w.-]+:.+")
# Nobody sits there to answer: what would ask for a name or a password fails.
NO_QUESTIONS = {
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "true",
    "GCM_INTERACTIVE": "never",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
}


class CaseRepositories:
    """The repositories of the cases of one evaluation; clones are kept in `clones`, the rest in `scratch`."""

    def __init__(self, clones: Path, scratch: Path) -> None:
        self._clones = clones
        self._scratch = scratch
        self._locks: defaultdict[Path, asyncio.Lock] = defaultdict(asyncio.Lock)
        """Several cases may share a repository, which is made once."""

    async def locate(self, held: CaseFolder) -> Path:
        """The folder of the case's repository; raises InputError or GitError where there is none."""
        address = _bundle_of(held.case.repository)
        if is_address(address):
            return await self._cloned(address, held)
        place = held.folder / address
        if place.is_file():
            return await self._cloned(str(place.resolve()), held)
        if not place.is_dir():
            raise InputError(f"there is no repository {place}")
        if is_written_history(place):
            return await self._built(place, held.case.id)
        return _own_repository(place)

    async def _built(self, place: Path, case_id: str) -> Path:
        target = self._scratch / folder_name(case_id)
        async with self._locks[target]:
            if not target.exists():
                await asyncio.to_thread(build_history, place, target)
        return target

    async def _cloned(self, address: str, held: CaseFolder) -> Path:
        target = self._clones / f"{_stem(address)}-{hashlib.sha256(_content_key(address)).hexdigest()[:16]}"
        async with self._locks[target]:
            if not target.exists():
                await _clone(address, target)
            await _fetch_missing(address, target, (held.case.base, held.case.head))
        return target


def is_address(text: str) -> bool:
    """Whether the text is a git URL rather than a path."""
    return "://" in text or SCP_ADDRESS.fullmatch(text) is not None


def _bundle_of(address: str) -> str:
    """The path in an address of a bundle, since git reads a bundle by its path only; else the address."""
    if not address.lower().startswith("file://"):
        return address
    path = unquote(address[len("file://") :].removeprefix("localhost"))
    return path if path.startswith("/") and Path(path).is_file() else address


def _own_repository(place: Path) -> Path:
    """The folder, if it is itself a repository: a case must not be reviewed in one that lies around it."""
    try:
        location = find_repository(place)
        own = {folder.resolve() for folder in (location.work_tree, location.git_dir) if folder is not None}
    except NotARepositoryError:
        own = set()
    if place.resolve() not in own:
        raise InputError(
            f"{place} is not itself a git repository, nor a written history (base/ and *.patch files)"
        )
    return place


def _stem(address: str) -> str:
    name = re.split(r"[/:]", address.rstrip("/"))[-1]
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name.removesuffix(".git").removesuffix(".bundle"))[:40] or "clone"


def _content_key(address: str) -> bytes:
    """What names a clone: the address; for a file its state too, since a bundle may be written anew."""
    if is_address(address):
        return address.encode("utf-8", "surrogateescape")
    state = Path(address).stat()
    return f"{address}\0{state.st_size}\0{state.st_mtime_ns}".encode("utf-8", "surrogateescape")


def _transport(address: str, folder: Path) -> Git:
    """Git that may reach this one address, without hooks, helpers that ask, or any other protocol."""
    protocol = _protocol(address)
    environment = {**git_environment(False), **NO_QUESTIONS}
    if os.environ.get("GIT_SSH_COMMAND"):
        environment["GIT_SSH_COMMAND"] = f"{os.environ['GIT_SSH_COMMAND']} -oBatchMode=yes"
    # A variable of git's own: no setting of a clone can add another protocol.
    environment["GIT_ALLOW_PROTOCOL"] = protocol
    settings = (
        f"protocol.{protocol}.allow=always",
        "fetch.recurseSubmodules=false",
        "submodule.recurse=false",
    )
    return Git(folder, environment, settings)


def _protocol(address: str) -> str:
    if not is_address(address):
        return "file"
    if "://" not in address:
        return "ssh"
    protocol = address.split("://", 1)[0].lower()
    if protocol not in PROTOCOLS:
        raise InputError(f"{_shown(address)}: a repository is named by {', '.join(PROTOCOLS)} or a path")
    return protocol


def _shown(address: str) -> str:
    """The address without a password."""
    if "://" not in address:
        return address
    try:
        parts = urlsplit(address)
        return parts._replace(netloc=parts.netloc.rsplit("@", 1)[-1]).geturl()
    except ValueError:
        return address.split("://", 1)[0] + "://…"


def _without_password(text: str, address: str) -> str:
    """Git repeats the address, or the part of it that it took for a path."""
    user, at, _ = address.split("://", 1)[-1].partition("@")
    return text.replace(user + at, "") if at else text


async def _clone(address: str, target: Path) -> None:
    """Clone beside the target and move it there: half a clone is never taken for a whole one."""
    try:
        make_private_folder(target.parent)
        scratch = Path(tempfile.mkdtemp(prefix="cloning-", dir=target.parent))
    except OSError as error:
        raise InputError(f"{target.parent} cannot be used for clones: {error.strerror}") from error
    try:
        git = _transport(address, scratch)
        options = ("--quiet", "--mirror", "--template=", "--no-recurse-submodules")
        complaints = await _over_the_wire(git, "clone", *options, "--", address, "clone")
        if complaints is not None:
            said = _without_password(complaint(complaints), address)
            raise GitError(f"{_shown(address)} cannot be cloned: {said}", retryable=True)
        _move(scratch / "clone", target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _move(clone: Path, target: Path) -> None:
    try:
        clone.rename(target)
    except OSError as error:
        # Where another evaluation was faster, its clone is as good.
        if not target.is_dir():
            raise InputError(f"{target} cannot be used for a clone: {error.strerror}") from error


async def _fetch_missing(address: str, target: Path, revisions: tuple[str, ...]) -> None:
    """Commits that a clone of the branches lacks, such as heads of pull requests, are asked for by name."""
    git = _transport(address, target)
    for revision in revisions:
        if not _has_commit(git, revision):
            # Whether it came is asked when the change is opened, which says what is missing.
            await _over_the_wire(git, "fetch", "--quiet", "--no-tags", "--", "origin", revision)


async def _over_the_wire(git: Git, *args: str) -> bytes | None:
    """Run git and return its complaints, None where it did its work; whoever is stopped ends it, too."""
    try:
        ended = await run_child(
            git.command(args),
            folder=git.folder,
            environment=git.environment,
            seconds=CLONE_SECONDS,
            max_bytes=COMPLAINT_BYTES,
        )
    except OSError as error:
        raise spawn_error(error, git.folder) from error
    if ended.state == "timed_out":
        return f"fatal: it took longer than {CLONE_SECONDS:g} seconds".encode()
    return ended.errors if ended.state == "flooded" or ended.exit_code != 0 else None


def _has_commit(git: Git, revision: str) -> bool:
    done = git.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    return done.returncode == 0
