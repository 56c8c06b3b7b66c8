"""Packages that somebody asks about, opened once for a whole review: a name in, trees and files out."""

import hashlib
import threading

from affidavit.dependencies.found import Packages
from affidavit.dependencies.package import Package
from affidavit.dependencies.package_tree import open_package
from affidavit.errors import AffidavitError
from affidavit.git.blob_cache import BlobCache
from affidavit.git.repository import GitRepository
from affidavit.proof.quoting.dependency_quotes import PackageFile, check_dependency
from affidavit.records.candidate import Candidate
from affidavit.records.evidence import DependencyCheck
from affidavit.system.closing import Closing

MAX_OPEN = 8
"""Packages that are kept at the same time; a model asks about few."""


class OpenPackages(Closing):
    """The packages of a review, without secrets; what is quoted of them is checked against them."""

    def __init__(self, packages: Packages, cache: BlobCache | None = None) -> None:
        self.packages = packages
        self._cache = cache
        self._open: dict[str, GitRepository] = {}
        self._lock = threading.Lock()

    def opened(self, package: Package) -> GitRepository:
        """Its trees, without secrets."""
        with self._lock:
            known = self._open.pop(package.name, None)
            if known is None:
                known = open_package(package)
                while len(self._open) >= MAX_OPEN:
                    self._open.pop(next(iter(self._open))).close()
            self._open[package.name] = known
            return known.redact(self._cache)

    def check(self, candidate: Candidate) -> tuple[DependencyCheck, ...]:
        """Where each quote stands in the package that it names."""
        evidence = candidate.finding.verification if candidate.finding else None
        quotes = evidence.dependency_quotes if evidence else ()
        return tuple(check_dependency(one, self.file(one.package, one.file)) for one in quotes)

    def file(self, package: str, path: str) -> PackageFile | str:
        """A file of a package, or why there is none; links and paths that lead out are no files of it."""
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
        """Forget them all."""
        with self._lock:
            for repository in self._open.values():
                repository.close()
            self._open.clear()


def hash_of(content: bytes) -> str:
    """By what a file of a package is known."""
    return hashlib.sha256(content).hexdigest()
