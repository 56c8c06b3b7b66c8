"""The packages that lie beside a repository, by itself or where the user says: a name in, a package out."""

import os
import platform
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

from packaging.utils import canonicalize_name

from affidavit.dependencies.go_packages import (
    go_packages,
    module_cache,
    required_modules,
    vendored_packages,
)
from affidavit.dependencies.node_packages import node_packages
from affidavit.dependencies.package import Package
from affidavit.dependencies.pins import Pins, pinned_versions
from affidavit.dependencies.python_packages import python_packages, site_folders
from affidavit.errors import InputError
from affidavit.ports import Tree

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
    variables: Mapping[str, str] = os.environ,
    is_tracked: Callable[[Path], bool] = lambda _: False,
) -> Packages:
    """What the named environments hold, what lies beside the repository, and the standard library.

    What the repository tracks is no package beside it: a change could write it.
    """
    pins = pinned_versions(base)
    found: dict[str, Package] = {}
    beside = [folder / name for name in BESIDE] if folder else []
    beside = [one for one in beside if one.is_dir() and not one.is_symlink() and not is_tracked(one)]
    for package in _all_packages(folder, base, environments, beside, variables):
        found.setdefault(package.name, _with_pin(package, pins))
    return Packages(found)


def _all_packages(
    folder: Path | None,
    base: Tree,
    environments: Sequence[Path],
    beside: Sequence[Path],
    variables: Mapping[str, str],
) -> Iterator[Package]:
    for place in [*environments, *beside]:
        if place.name == "node_modules":
            yield from node_packages(place)
        for site in site_folders(place):
            yield from python_packages(site)
    if folder:
        yield from vendored_packages(folder / "vendor")
    required = required_modules("\n".join(base.lines("go.mod") or []))
    caches = [*environments, *([module_cache(variables, Path.home())] if required else [])]
    for cache in caches:
        yield from go_packages(cache, required)
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
