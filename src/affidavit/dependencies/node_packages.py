"""Node packages: a folder node_modules in, the packages at its top out."""

from collections.abc import Iterator
from pathlib import Path

from affidavit.dependencies.package import Package
from affidavit.dependencies.small_file import read_object, read_text

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
