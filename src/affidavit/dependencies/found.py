"""Find the Python and Node packages that lie beside a repository or where the user says."""

import csv
import io
import platform
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from email.parser import HeaderParser
from pathlib import Path

from packaging.utils import canonicalize_name

from affidavit.dependencies.package import Package, read_object, read_text
from affidavit.dependencies.pins import Pins, pinned_versions
from affidavit.errors import InputError
from affidavit.ports import Tree

MAX_PACKAGES = 5_000


def node_packages(modules: Path) -> Iterator[Package]:
    """Every package, with a scope or without; what a link leads to is none of it."""
    for folder in list(_folders(modules))[:MAX_PACKAGES]:
        described = read_object(read_text(folder / "package.json"))
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
    """Where an environment keeps its packages; it may be such a folder itself."""
    found = [place for pattern in SITES for place in sorted(environment.glob(pattern)) if place.is_dir()]
    own = [environment] if any(environment.glob("*.dist-info")) else []
    return list({place.resolve(): place for place in [*own, *found]}.values())


def python_packages(site: Path) -> Iterator[Package]:
    """Every distribution, with the files that its record names."""
    for described in sorted(site.glob("*.dist-info"))[:MAX_DISTRIBUTIONS]:
        headers = HeaderParser().parsestr(read_text(described / "METADATA"))
        name, version = headers.get("Name", ""), headers.get("Version", "")
        files = tuple(_recorded(read_text(described / "RECORD")))
        if name and version and files:
            yield Package("python", canonicalize_name(name), version, site, files)


def _recorded(text: str) -> Iterator[str]:
    """The files of a record that lie in its own folder."""
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
    """Every package that can be read, by name; the first place that has one counts."""

    by_name: Mapping[str, Package] = field(default_factory=dict)

    def named(self, name: str) -> Package:
        """A package; raises InputError with what to write instead."""
        for reading in (name.strip(), canonicalize_name(name.strip())):
            if reading in self.by_name:
                return self.by_name[reading]
        close = get_close_matches(name.strip(), self.by_name, n=3)
        if close:
            raise InputError(f"there is no package {name[:80]!r} here; did you mean {' or '.join(close)}?")
        raise InputError(f"there is no package {name[:80]!r} here: there are {self.listed()}")

    def listed(self, most: int = MAX_LISTED) -> str:
        """The names, or as many as can be read."""
        names = sorted(self.by_name)
        more = len(names) - most
        return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def find_packages(
    folder: Path | None,
    base: Tree,
    environments: Sequence[Path] = (),
    is_tracked: Callable[[Path], bool] = lambda _: False,
) -> Packages:
    """What the named environments hold, what lies beside the repository, and the standard library.

    What the repository tracks is no package beside it: a change could write it.
    """
    pins = pinned_versions(base)
    found: dict[str, Package] = {}
    beside = [folder / name for name in BESIDE] if folder else []
    beside = [one for one in beside if one.is_dir() and not one.is_symlink() and not is_tracked(one)]
    for package in _all_packages(base, environments, beside):
        found.setdefault(package.name, _with_pin(package, pins))
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
    """That of the interpreter we run on: another one's may lie anywhere."""
    folder = Path(sysconfig.get_path("stdlib"))
    if folder.is_dir():
        yield Package("standard_library", STANDARD_LIBRARY, platform.python_version(), folder)


def _with_pin(package: Package, pins: Pins) -> Package:
    pinned = pins.get((package.kind, package.name), "")
    return replace(package, pinned=pinned) if pinned and pinned != package.version else package
