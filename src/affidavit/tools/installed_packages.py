"""Find the Python and Node packages beside a repository and in folders that the user names."""

import csv
import io
import os
import platform
import stat
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from email.parser import HeaderParser
from pathlib import Path
from typing import Literal

from packaging.utils import canonicalize_name

from affidavit.errors import InputError
from affidavit.languages.tree_files import read_json
from affidavit.ports import Tree
from affidavit.records.report import name_some

MAX_PACKAGES = 5_000
MAX_BYTES = 4_000_000
Kind = Literal["python", "node", "standard_library"]


@dataclass(frozen=True)
class Package:
    """A package, its version, and where its files are."""

    kind: Kind
    name: str
    version: str
    folder: Path
    """Its file paths are relative to this folder."""
    files: tuple[str, ...] | None = None
    """Its own files in the folder; None means all of them."""


def read_small(place: Path, most: int = MAX_BYTES) -> bytes | None:
    """Return the content of a regular file; None if it is missing, a link or too large."""
    try:
        handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (OSError, ValueError):
        return None
    with open(handle, "rb") as file:  # noqa: PTH123 - the file is open already
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > most:
            return None
        content = file.read(most + 1)
    return content if len(content) <= most else None


def read_text(place: Path) -> str:
    """Return the text of a file; empty if it cannot be read."""
    content = read_small(place)
    return content.decode("utf-8", "replace") if content else ""


def node_packages(modules: Path) -> Iterator[Package]:
    """Yield every package of a `node_modules`, with or without a scope; skip links."""
    for folder in list(_folders(modules))[:MAX_PACKAGES]:
        described = read_json(read_text(folder / "package.json"))
        name, version = described.get("name"), described.get("version")
        if isinstance(name, str) and isinstance(version, str) and name and version:
            yield Package("node", name, version, folder)


def _folders(modules: Path) -> Iterator[Path]:
    for place in _children(modules):
        if place.name.startswith("@"):
            yield from _children(place)
        elif not place.name.startswith("."):
            yield place


def _children(folder: Path) -> list[Path]:
    try:
        return sorted(place for place in folder.iterdir() if place.is_dir() and not place.is_symlink())
    except OSError:
        return []


MAX_DISTRIBUTIONS = 2_000
SITES = ("lib/python3*/site-packages", "lib64/python3*/site-packages", "Lib/site-packages")


def site_folders(environment: Path) -> list[Path]:
    """Return the folders of an environment that hold packages; it may be one itself."""
    found = [place for pattern in SITES for place in sorted(environment.glob(pattern)) if place.is_dir()]
    own = [environment] if any(environment.glob("*.dist-info")) else []
    return list({place.resolve(): place for place in [*own, *found]}.values())


def python_packages(site: Path) -> Iterator[Package]:
    """Yield every distribution with the files that its RECORD lists."""
    for described in sorted(site.glob("*.dist-info"))[:MAX_DISTRIBUTIONS]:
        headers = HeaderParser().parsestr(read_text(described / "METADATA"))
        name, version = headers.get("Name", ""), headers.get("Version", "")
        files = tuple(_recorded(read_text(described / "RECORD")))
        if name and version and files:
            yield Package("python", canonicalize_name(name), version, site, files)


def _recorded(text: str) -> Iterator[str]:
    """Yield the files of a RECORD that are inside the site folder."""
    for row in csv.reader(io.StringIO(text)):
        path = row[0] if row else ""
        parts = path.split("/")
        if path and not path.startswith("/") and ".." not in parts and "\\" not in path:
            yield path


BESIDE = (".venv", "venv", "env", "node_modules")
STANDARD_LIBRARY = "python"
MAX_LISTED = 40


@dataclass(frozen=True)
class Packages:
    """Readable packages by name; the first place that has one wins."""

    by_name: Mapping[str, Package] = field(default_factory=dict)

    def named(self, name: str) -> Package:
        """Return a package; raise InputError with close names if there is none."""
        for reading in (name.strip(), canonicalize_name(name.strip())):
            if reading in self.by_name:
                return self.by_name[reading]
        close = get_close_matches(name.strip(), self.by_name, n=3)
        if close:
            raise InputError(f"there is no package {name[:80]!r} here; did you mean {' or '.join(close)}?")
        raise InputError(f"there is no package {name[:80]!r} here: there are {self.listed()}")

    def listed(self, most: int = MAX_LISTED) -> str:
        """Return the first names in one line, and how many more there are."""
        return name_some(sorted(self.by_name), most)


def find_packages(
    folder: Path | None,
    base: Tree,
    environments: Sequence[Path] = (),
    is_tracked: Callable[[Path], bool] = lambda _: False,
) -> Packages:
    """Return the packages of named environments, of those beside the repository, and the standard library.

    Folders that the repository tracks do not count: a change could write them.
    """
    found: dict[str, Package] = {}
    beside = [folder / name for name in BESIDE] if folder else []
    beside = [one for one in beside if one.is_dir() and not one.is_symlink() and not is_tracked(one)]
    for package in _all_packages(base, environments, beside):
        found.setdefault(package.name, package)
    return Packages(found)


def _all_packages(base: Tree, environments: Sequence[Path], beside: Sequence[Path]) -> Iterator[Package]:
    for place in [*environments, *beside]:
        if place.name == "node_modules":
            yield from node_packages(place)
        for site in site_folders(place):
            yield from python_packages(site)
    if any(path.endswith(".py") for path in base.entries()):
        yield from _standard_library()


def _standard_library() -> Iterator[Package]:
    """Yield the library of the running interpreter; others may be anywhere."""
    folder = Path(sysconfig.get_path("stdlib"))
    if folder.is_dir():
        yield Package("standard_library", STANDARD_LIBRARY, platform.python_version(), folder)
