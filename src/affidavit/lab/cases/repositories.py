"""Find the repository of a case: a folder, or a history written as files and patches."""

import asyncio
import os
import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from affidavit.errors import InputError, NotARepositoryError
from affidavit.git.command import Git, complaint
from affidavit.git.location import find_repository
from affidavit.lab.cases.folders import CaseFolder, folder_name
from affidavit.system.temporary import temporary_folder

BASE_FOLDER = "base"
EARLIER_FOLDER = "earlier"
BRANCH = "main"
FIRST_MESSAGE = "Start"

# Authors and dates of the patches are left out, so that hashes do not depend on them.
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
    """Check whether the folder holds a history as files and patches."""
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
            # A partial history must not be taken for a whole one later.
            shutil.rmtree(target, ignore_errors=True)
            raise


def _patches(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.patch") if path.is_file())


def _refuse_unusable(folder: Path, files: Path, change: Sequence[Path]) -> None:
    if not files.is_dir():
        raise InputError(f"{folder} has no folder {BASE_FOLDER}/ with the files before the change")
    if not change:
        raise InputError(f"{folder} has no *.patch: write the change with `git format-patch`")
    # Git would take a repository in there for a submodule, and read its configuration.
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
        """Return the message of a patch, and a file with its diff."""
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


class CaseRepositories:
    """Find the repositories of cases; written histories are built in `scratch`."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._locks: defaultdict[Path, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def locate(self, held: CaseFolder) -> Path:
        """Return the folder of the case's repository; raise InputError if there is none."""
        place = held.folder / held.case.repository
        if not place.is_dir():
            raise InputError(f"there is no repository {place}: clone it, and name the folder of the clone")
        if not is_written_history(place):
            return _own_repository(place)
        target = self._scratch / folder_name(held.case.id)
        async with self._locks[target]:
            if not target.exists():
                await asyncio.to_thread(build_history, place, target)
        return target


def _own_repository(place: Path) -> Path:
    """Return the folder if it is itself a repository: a case must not be reviewed in one around it."""
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
