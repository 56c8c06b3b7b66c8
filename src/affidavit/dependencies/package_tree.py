"""A package as a pair of git trees that are alike, so that everything which reads a change reads it, too."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from affidavit.dependencies.package import Package
from affidavit.dependencies.small_file import read_small
from affidavit.errors import InputError
from affidavit.git.objects import ObjectStore
from affidavit.git.paths import is_safe_path
from affidavit.git.repository import GitRepository
from affidavit.git.tree import GitTree

MAX_FILES = 5_000
MAX_BYTES = 40_000_000
MAX_FILE_BYTES = 2_000_000
WRITTEN_AT_ONCE = 200
LEFT_OUT = frozenset({"__pycache__", "site-packages", "node_modules", "test", "tests", "idlelib", ".git"})
"""Folders that nobody asks for: compiled files, other packages, tests of the standard library."""
SOURCES = frozenset(
    [
        *(".py", ".pyi", ".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx"),
        *(".go", ".c", ".h", ".cc", ".cpp", ".hpp", ".rs", ".rb", ".php", ".java", ".proto", ".sql"),
        *(".json", ".toml", ".yaml", ".yml", ".cfg", ".ini", ".md", ".rst", ".txt", ".html", ".css"),
    ]
)


def open_package(package: Package) -> GitRepository:
    """Its files as git objects in a temporary place; links are left out, and so is what is too large."""
    store = ObjectStore(None)
    try:
        tree = GitTree(store, _write(store, package))
        return GitRepository(store, tree, tree)
    except BaseException:
        store.close()
        raise


def _write(store: ObjectStore, package: Package) -> str:
    changes: dict[bytes, tuple[str, str] | None] = {}
    waiting: dict[bytes, bytes] = {}
    total = 0
    for path in list(_paths(package))[:MAX_FILES]:
        content = read_small(package.folder / path, MAX_FILE_BYTES)
        if content is None or total + len(content) > MAX_BYTES:
            continue
        total += len(content)
        waiting[os.fsencode(path)] = content
        if len(waiting) == WRITTEN_AT_ONCE:
            changes |= _written(store, waiting)
            waiting = {}
    changes |= _written(store, waiting)
    if not changes:
        raise InputError(f"{package.name} {package.version} has no source that can be read here")
    return store.write_tree(store.empty_tree(), changes)


def _written(store: ObjectStore, contents: dict[bytes, bytes]) -> dict[bytes, tuple[str, str] | None]:
    names = store.write_blobs(list(contents.values()))
    return {path: ("100644", name) for path, name in zip(contents, names, strict=True)}


def _paths(package: Package) -> Iterator[str]:
    """The sources of a package, by paths from its folder; no folder on the way is a link."""
    listed = package.files if package.files is not None else _below(package)
    seen: dict[str, bool] = {}
    for path in listed:
        if Path(path).suffix.lower() not in SOURCES or not is_safe_path(path):
            continue
        if package.files is None or _is_inside(package.folder, path, seen):
            yield path


def _below(package: Package) -> Iterator[str]:
    left_out = LEFT_OUT if package.kind == "standard_library" else LEFT_OUT - {"test", "tests"}
    for place, folders, files in os.walk(package.folder, followlinks=False):
        folders[:] = sorted(name for name in folders if name not in left_out)
        yield from (str((Path(place) / name).relative_to(package.folder)) for name in sorted(files))


def _is_inside(folder: Path, path: str, seen: dict[str, bool]) -> bool:
    """Whether every folder on the way is one; what was asked before is known."""
    parent = path.rpartition("/")[0]
    if not parent:
        return True
    if parent not in seen:
        seen[parent] = _is_inside(folder, parent, seen) and _is_folder(folder / parent)
    return seen[parent]


def _is_folder(place: Path) -> bool:
    try:
        return stat.S_ISDIR(place.lstat().st_mode)
    except OSError:
        return False
