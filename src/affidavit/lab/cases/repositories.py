"""Find the repository of a case: a folder, a bundle, a written history, or a clone made once and kept."""

import asyncio
import hashlib
import os
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from affidavit.errors import GitError, InputError, NotARepositoryError
from affidavit.git.command import Git, complaint, git_environment, spawn_error
from affidavit.git.location import find_repository
from affidavit.lab.cases.folders import CaseFolder, folder_name
from affidavit.system.child_process import run_child
from affidavit.system.private_files import make_private_folder
from affidavit.system.temporary import temporary_folder

BASE_FOLDER = "base"
EARLIER_FOLDER = "earlier"
BRANCH = "main"
FIRST_MESSAGE = "Start"

# Authors and dates of the patches are left out, so that nobody's name or clock decides on a hash.
NAME, EMAIL = "Case Author", "author@example.com"
FIRST_SECOND = 1_704_103_200
SECONDS_BETWEEN = 3_600

_NO_USER_CONFIGURATION = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
# Even without a user configuration git reads these two from their default places.
_NO_USER_FILES = ("core.attributesFile=/dev/null", "core.excludesFile=/dev/null", "core.autocrlf=false")


def is_written_history(folder: Path) -> bool:
    """Whether the folder holds a history as files and patches."""
    return (folder / BASE_FOLDER).is_dir() and bool(_patches(folder))


def build_history(folder: Path, target: Path) -> None:
    """Make a bare repository at `target`, which must not exist or be empty, with the tags base and head."""
    files = (folder / BASE_FOLDER).absolute()
    change = _patches(folder)
    _refuse_unusable(folder, files, change)
    _make_room(target)
    with temporary_folder("history-") as scratch:
        history = _History(target.absolute(), scratch)
        try:
            history.start(files)
            history.tag("base", _patches(folder / EARLIER_FOLDER))
            history.tag("head", change)
        except BaseException:
            # Half a history must not be taken for a whole one by the next who looks there.
            shutil.rmtree(target, ignore_errors=True)
            raise


def _patches(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.patch") if path.is_file())


def _refuse_unusable(folder: Path, files: Path, change: Sequence[Path]) -> None:
    if not files.is_dir():
        raise InputError(f"{folder} has no folder {BASE_FOLDER}/ with the files before the change")
    if not change:
        raise InputError(f"{folder} has no *.patch: write the change with `git format-patch`")
    # git would take a repository in there for a submodule, and read its configuration.
    inner = next(_repositories_within(files), None)
    if inner is not None:
        raise InputError(f"{inner} is a git repository within {BASE_FOLDER}/: keep plain files only")


def _repositories_within(files: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(files):
        yield from (Path(parent, name) for name in (*folders, *names) if name.lower() == ".git")


def _make_room(target: Path) -> None:
    try:
        target.mkdir(parents=True, exist_ok=True)
        is_taken = any(target.iterdir())
    except OSError as error:
        raise InputError(f"no history can be built at {target}: {error.strerror or error}") from error
    if is_taken:
        raise InputError(f"no history can be built at {target}: the folder is not empty")


@dataclass
class _History:
    """A repository in the making: its index and its newest commit."""

    target: Path
    scratch: Path
    commits: list[str] = field(default_factory=list)

    @property
    def git(self) -> Git:
        """Git that sees this repository, no settings of the user's, and a date of its own."""
        date = f"{FIRST_SECOND + SECONDS_BETWEEN * len(self.commits)} +0000"
        identity = {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", NAME), ("EMAIL", EMAIL), ("DATE", date))
        }
        plain = Git(self.scratch, settings=_NO_USER_FILES).having(_NO_USER_CONFIGURATION)
        return plain.having(
            {**identity, "GIT_DIR": str(self.target), "GIT_INDEX_FILE": str(self.scratch / "index")}
        )

    def start(self, files: Path) -> None:
        """Commit the plain files, whatever an ignore file among them says."""
        template = f"--template={self._empty_folder()}"
        options = ("--quiet", "--bare", "--object-format=sha1", f"--initial-branch={BRANCH}", template)
        outside = Git(self.scratch, settings=_NO_USER_FILES).having(_NO_USER_CONFIGURATION)
        outside.run("init", *options, str(self.target))
        self.git.having({"GIT_WORK_TREE": str(files)}).run("-C", str(files), "add", "--all", "--force", ".")
        self._commit(f"{FIRST_MESSAGE}\n")

    def _add(self, patch: Path) -> None:
        """Commit a patch with its own message."""
        message, body = self._read(patch)
        done = self.git.attempt("apply", "--cached", "--whitespace=nowarn", str(body))
        if done.returncode != 0:
            raise InputError(f"the patch {patch} does not apply: {complaint(done.stderr)}")
        self._commit(message)

    def tag(self, name: str, patches: Sequence[Path]) -> None:
        """Commit the patches, name the last commit, and let the branch end there."""
        for patch in patches:
            self._add(patch)
        self.git.run("update-ref", f"refs/tags/{name}", self.commits[-1])
        self.git.run("update-ref", f"refs/heads/{BRANCH}", self.commits[-1])

    def _read(self, patch: Path) -> tuple[str, Path]:
        """The message of a patch, and a file with its diff."""
        text, body = self.scratch / "message", self.scratch / "diff"
        options = ("-b", "--encoding=UTF-8", "--no-scissors")
        done = self.git.attempt("mailinfo", *options, str(text), str(body), stdin=_content(patch))
        subject = _subject(done.stdout.decode(errors="replace"))
        if done.returncode != 0 or not subject:
            raise InputError(f"the patch {patch} has no Subject or no diff: write it with `git format-patch`")
        details = text.read_text(encoding="utf-8", errors="replace").strip()
        return (f"{subject}\n\n{details}\n" if details else f"{subject}\n"), body

    def _commit(self, message: str) -> None:
        tree = self.git.line("write-tree")
        parent = ("-p", self.commits[-1]) if self.commits else ()
        self.commits.append(self.git.line("commit-tree", *parent, tree, stdin=message.encode()))

    def _empty_folder(self) -> Path:
        # The user's template folder may hold hooks.
        empty = self.scratch / "template"
        empty.mkdir()
        return empty


def _content(patch: Path) -> bytes:
    try:
        return patch.read_bytes()
    except OSError as error:
        raise InputError(f"the patch {patch} cannot be read: {error.strerror or error}") from error


def _subject(header: str) -> str:
    lines = [line.removeprefix("Subject: ") for line in header.splitlines() if line.startswith("Subject: ")]
    return lines[0].strip() if lines else ""


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
