"""Open packages as git trees, once per review, and check quotes of them."""

import hashlib
import os
import stat
import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from affidavit.errors import AffidavitError, InputError
from affidavit.git.blob_cache import BlobCache
from affidavit.git.objects import ObjectStore
from affidavit.git.repository import GitRepository
from affidavit.git.text import is_safe_path
from affidavit.git.tree import GitTree
from affidavit.proof.quotes import PackageFile, check_dependency
from affidavit.records.candidate import Candidate
from affidavit.records.evidence import DependencyCheck
from affidavit.system.temporary import Closing
from affidavit.tools.installed_packages import Package, Packages, read_small

MAX_FILES = 5_000
MAX_BYTES = 40_000_000
MAX_FILE_BYTES = 2_000_000
LEFT_OUT = frozenset({"__pycache__", "site-packages", "node_modules", "test", "tests", "idlelib", ".git"})
"""Skipped: compiled files, other packages, tests of the standard library."""
SOURCES = frozenset(
    [
        *(".py", ".pyi", ".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx"),
        *(".go", ".c", ".h", ".cc", ".cpp", ".hpp", ".rs", ".rb", ".php", ".java", ".proto", ".sql"),
        *(".json", ".toml", ".yaml", ".yml", ".cfg", ".ini", ".md", ".rst", ".txt", ".html", ".css"),
    ]
)


def open_package(package: Package) -> GitRepository:
    """Write the files of a package to a temporary git store; skip links and large files."""
    with ObjectStore(None).closed_on_failure() as store:
        tree = GitTree(store, _write(store, package))
        return GitRepository(store, tree, tree)


def _write(store: ObjectStore, package: Package) -> str:
    written = store.write_named(_contents(package))
    changes = {os.fsencode(path): ("100644", name) for path, name in written}
    if not changes:
        raise InputError(f"{package.name} {package.version} has no source that can be read here")
    return store.write_tree(store.empty_tree(), changes)


def _contents(package: Package) -> Iterator[tuple[str, bytes]]:
    total = 0
    for path in islice(_paths(package), MAX_FILES):
        content = read_small(package.folder / path, MAX_FILE_BYTES)
        if content is not None and total + len(content) <= MAX_BYTES:
            total += len(content)
            yield path, content


def _paths(package: Package) -> Iterator[str]:
    """Yield the source paths of a package; skip files below linked folders."""
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
    """Check that no folder on the way to a file is a link."""
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


MAX_OPEN = 8
"""Packages open at the same time; models ask about few."""


class OpenPackages(Closing):
    """The redacted packages of a review."""

    def __init__(self, packages: Packages, cache: BlobCache | None = None) -> None:
        self.packages = packages
        self._cache = cache
        self._open: dict[str, GitRepository] = {}
        self._lock = threading.Lock()

    def opened(self, package: Package) -> GitRepository:
        """Return the redacted trees of a package."""
        with self._lock:
            known = self._open.pop(package.name, None)
            if known is None:
                known = open_package(package)
                while len(self._open) >= MAX_OPEN:
                    self._open.pop(next(iter(self._open))).close()
            self._open[package.name] = known
            return known.redact(self._cache)

    def check(self, candidate: Candidate) -> tuple[DependencyCheck, ...]:
        """Locate each quote of a finding in the package it names."""
        evidence = candidate.finding.verification if candidate.finding else None
        quotes = evidence.dependency_quotes if evidence else ()
        return tuple(check_dependency(one, self.file(one.package, one.file)) for one in quotes)

    def file(self, package: str, path: str) -> PackageFile | str:
        """Return a file of a package, or why it cannot be read; links and paths that leave it cannot."""
        try:
            found = self.packages.named(package)
            tree = self.opened(found).head
            content, lines = tree.read(path), tree.lines(path)
        except AffidavitError as error:
            return str(error)
        if content is None or lines is None:
            return f"{found.name} {found.version} has no source {path[:200]!r} that can be read here"
        return PackageFile(found.version, hash_of(content), lines)

    def close(self) -> None:
        """Close all packages."""
        with self._lock:
            for repository in self._open.values():
                repository.close()
            self._open.clear()


def hash_of(content: bytes) -> str:
    """Return the hash that identifies a file of a package."""
    return hashlib.sha256(content).hexdigest()
