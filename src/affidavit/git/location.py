"""Find a repository, and refuse one with parts outside of its folder.

A `.git` that came with an archive may name a work tree, a git directory or objects anywhere on this machine.
Files from there would be read, shown and sent as if they were part of the change.
"""

import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from affidavit.errors import GitError, InputError, NotARepositoryError
from affidavit.git.command import Git, Location, complaint, git_environment


def repository_name(git: Git, location: Location) -> str:
    """Return the address of the remote `origin`, without credentials; else the name of the folder."""
    done = git.attempt("config", "--local", "--no-includes", "--get", "remote.origin.url")
    address = done.stdout.decode("utf-8", "replace").strip()
    if done.returncode == 0 and address:
        return without_credentials(address)
    folder = location.work_tree or location.git_dir
    return folder.name.removesuffix(".git") or folder.name


def without_credentials(address: str) -> str:
    """Return an address without user, password and query."""
    if "://" not in address:
        # host:path, perhaps with a user; only the usual `git` reveals nothing.
        return address if address.startswith("git@") else re.sub(r"^[^/@]*@", "", address)
    try:
        parts = urlsplit(address)
    except ValueError:
        return address.split("://", 1)[0] + "://"
    return parts._replace(netloc=parts.netloc.rsplit("@", 1)[-1], query="", fragment="").geturl()


def is_shared_address(name: str) -> bool:
    """Check whether the name of a repository is an address, which all its clones share, not a folder."""
    return "/" in name and not name.startswith(("/", ".", "~", "file:"))


def is_same_address(one: str, other: str) -> bool:
    """Compare addresses that may be written for https or ssh, with or without `.git`."""
    return _bare(one) == _bare(other)


def _bare(address: str) -> str:
    plain = re.sub(r"^[a-z+]+://", "", address.strip().lower())
    plain = re.sub(r"^[^/@]*@", "", plain)
    host, colon, path = plain.partition(":")
    joined = f"{host}/{path.lstrip('/')}" if colon and "/" not in host else plain
    return joined.rstrip("/").removesuffix(".git")


ALTERNATES = Path("info", "alternates")
MAX_ALTERNATES_BYTES = 100_000


@dataclass(frozen=True)
class Allowed:
    """The user's permissions for places outside of a repository; no file in it can grant them."""

    work_tree: Path | None = None
    """A folder that the command line names."""
    alternates: bool = False
    """Whether objects may be in another repository."""
    filters: bool = False
    """Whether filters of the configuration, which are programs, may run."""


def refuse_foreign_places(git: Git, location: Location, place: Path, allowed: Allowed) -> None:
    """Raise if a part of the repository is elsewhere, unless the user or that place confirms it."""
    home = _home(place)
    if home is not None and "GIT_DIR" not in git.environment:
        _refuse_foreign_git_dir(git, location, home)
    _refuse_foreign_common_dir(location)
    if location.work_tree is not None and "GIT_WORK_TREE" not in git.environment:
        _refuse_foreign_work_tree(location.work_tree, home or location.git_dir.parent)
    if not allowed.alternates:
        _refuse_borrowed_objects(location.objects)
    index = location.git_dir / "index"
    if "GIT_INDEX_FILE" not in git.environment and index.is_symlink():
        raise InputError(f"{index} is a link, and the index of another repository is not reviewed here")


def _home(place: Path) -> Path | None:
    return next((folder for folder in (place, *place.parents) if os.path.lexists(folder / ".git")), None)


def _refuse_foreign_git_dir(git: Git, location: Location, home: Path) -> None:
    entry, git_dir = home / ".git", location.git_dir.resolve()
    if not git_dir.is_relative_to(home.resolve()) and not _points_back(git, git_dir, home):
        raise InputError(
            f"{entry} leads to {git_dir}, which does not name this folder: "
            f"if you mean that repository, run again with --repo {git_dir} --work-tree {home}"
        )


def _points_back(git: Git, git_dir: Path, home: Path) -> bool:
    """Check whether the git directory names the folder, as those of work trees and submodules do."""
    named = next(iter(_lines(git_dir / "gitdir")), "")
    if named and (git_dir / named).resolve() == (home / ".git").resolve():
        return True
    asked = ("config", "--file", str(git_dir / "config"), "--no-includes", "--get", "core.worktree")
    done = git.attempt(*asked)
    work_tree = os.fsdecode(done.stdout).rstrip("\n") if done.returncode == 0 else ""
    return bool(work_tree) and (git_dir / work_tree).resolve() == home.resolve()


def _refuse_foreign_common_dir(location: Location) -> None:
    git_dir, common = location.git_dir.resolve(), location.common_dir.resolve()
    is_linked = git_dir.parent == common / "worktrees"
    if common != git_dir and not is_linked:
        raise InputError(
            f"{git_dir} is part of another repository, {common}: "
            f"if you mean that one, run again with --repo {common}"
        )


def _refuse_foreign_work_tree(work_tree: Path, home: Path) -> None:
    if not work_tree.resolve().is_relative_to(home.resolve()):
        raise InputError(
            f"the settings of the repository in {home} say that its files are in {work_tree}: "
            f"if you mean those, run again with --work-tree {work_tree}"
        )


def _refuse_borrowed_objects(objects: Path) -> None:
    linked, named = next(_linked(objects), None), next(_named(objects), None)
    # Packing copies what a list names, not what is behind a link; and git reads the list while it is there.
    packed = f"`git repack -a -d` and then `rm {shlex.quote(str(objects / ALTERNATES))}`"
    own = "`git clone --no-local`" if linked else packed
    if linked or named:
        raise InputError(
            f"the repository takes objects from {linked or named}, which is not part of it: if it is yours, "
            "run again with --allow-alternates or set AFFIDAVIT_ALLOW_ALTERNATES=1; "
            f"otherwise give it a copy of its own with {own}"
        )


def _linked(objects: Path) -> Iterator[Path]:
    """Yield the places outside that links lead to."""
    if objects.is_symlink():
        yield objects.resolve()
    for folder in (objects, *(Path(entry) for entry in _entries(objects) if entry.is_dir())):
        yield from (Path(entry).resolve() for entry in _entries(folder) if entry.is_symlink())


def _named(objects: Path) -> Iterator[Path]:
    """Yield the places outside that a list names."""
    for line in _lines(objects / ALTERNATES):
        if line and not line.startswith("#"):
            yield objects / line


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


def _lines(file: Path) -> list[str]:
    try:
        with file.open("rb") as opened:
            return os.fsdecode(opened.read(MAX_ALTERNATES_BYTES)).split("\n")
    except OSError:
        return []


NOTHING_MORE = Allowed()
ANSWERS = 4
"""The lines that git prints for every repository."""


def find_repository(folder: Path | None, allowed: Allowed = NOTHING_MORE) -> Location:
    """Find the repository that holds a folder; None means the current one, or what a hook was given."""
    place = (folder or Path.cwd()).absolute()
    if not place.is_dir():
        raise NotARepositoryError(f"{place} is not a folder")
    git = Git(place, git_environment(keep_hook_variables=folder is None))
    if allowed.work_tree is not None:
        git = git.having({"GIT_WORK_TREE": str(allowed.work_tree.absolute())})
    # The last one fails where there is no working tree, after the others have been answered.
    wanted = ("--git-dir", "--git-common-dir", "--git-path", "index", "--is-shallow-repository")
    done = git.attempt("rev-parse", "--path-format=absolute", *wanted, "--show-toplevel")
    lines = done.stdout.split(b"\n")[:-1]
    if len(lines) < ANSWERS:
        raise _no_repository(place, git.environment.get("GIT_DIR"), done.stderr)
    git_dir, common_dir, index = (Path(os.fsdecode(line)) for line in lines[:3])
    top = b"\n".join(lines[ANSWERS:]) if done.returncode == 0 else b""
    work_tree = Path(os.fsdecode(top)) if top else None
    location = Location(git_dir, common_dir, work_tree, index, is_shallow=lines[3] == b"true")
    refuse_foreign_places(git, location, place, allowed)
    return location


def _no_repository(place: Path, git_dir: str | None, stderr: bytes) -> NotARepositoryError | GitError:
    if b"not a git repository" in stderr and git_dir:
        return NotARepositoryError(f"GIT_DIR={git_dir} is not a git repository: unset it, or pass --repo")
    if b"not a git repository" in stderr:
        return NotARepositoryError(
            f"{place} is not in a git repository; pass one with --repo, or pass a diff file"
        )
    return GitError(f"the repository at {place} cannot be read: {complaint(stderr)}")
