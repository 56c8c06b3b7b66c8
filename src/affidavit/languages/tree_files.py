"""List the regular files and folders of a tree, and read its configurations."""

import json
import posixpath
import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice

from affidavit.git.tree import REGULAR_MODES, read_all
from affidavit.ports import Tree

_STRING = r'"(?:[^"\\]|\\.)*"'
COMMENTS = re.compile(rf"({_STRING})|//[^\n]*|/\*.*?\*/", re.DOTALL)
TRAILING_COMMAS = re.compile(rf"({_STRING})|,(?=\s*[}}\]])", re.DOTALL)


def read_json(text: str) -> dict[str, object]:
    """Return an object, with comments and trailing commas as TypeScript allows them."""
    plain = TRAILING_COMMAS.sub(_kept, COMMENTS.sub(_kept, text))
    try:
        value = json.loads(plain)
    except (ValueError, RecursionError):
        return {}
    return table(value)


def _kept(match: re.Match[str]) -> str:
    return match[1] or ""


def read_toml(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def table(value: object) -> dict[str, object]:
    """Return the value if it is a table, else an empty one."""
    return value if isinstance(value, dict) else {}


def texts(value: object) -> list[str]:
    """Return the strings in a value that may be one string or a list."""
    values = value if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, str)]


MAX_CONFIGURATION_BYTES = 1_000_000
# With more files of one name, a guess would be wrong and comparing them all too slow.
MAX_CANDIDATES = 100


class TreeFiles:
    """The regular files of a tree, and the configurations that decide how imports resolve."""

    def __init__(self, tree: Tree, absent: Iterable[str] = ()) -> None:
        """Read a tree; `absent` paths count as files, too."""
        self._tree = tree
        self.blobs = dict.fromkeys(absent, "") | {
            path: entry.blob for path, entry in tree.entries().items() if entry.mode in REGULAR_MODES
        }

    @cached_property
    def folders(self) -> frozenset[str]:
        """Return every folder that holds a regular file; the root is the empty string."""
        found = {""}
        for path in self.blobs:
            folder = parent(path)
            while folder not in found:
                found.add(folder)
                folder = parent(folder)
        return frozenset(found)

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """Return the paths by their last part."""
        found: dict[str, list[str]] = {}
        for path in self.blobs:
            found.setdefault(path.rpartition("/")[2], []).append(path)
        return found

    def named(self, name: str) -> list[str]:
        """Return the files of that name, those nearest to the root first."""
        return sorted(self.by_name.get(name, ()), key=lambda path: (path.count("/"), path))

    def first(self, candidates: Iterable[str | None]) -> str | None:
        return next((path for path in candidates if path is not None and path in self.blobs), None)

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        yield from read_all(self._tree, [path for path in paths if path in self.blobs])

    def configurations(self, name: str) -> dict[str, str]:
        """Return the texts of all files of that name that are not too large."""
        return self.settings(self.named(name))

    def settings(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the texts of these files, unless they are too large to be settings."""
        return {
            path: content.decode("utf-8-sig", "replace")
            for path, content in self.read(paths)
            if len(content) <= MAX_CONFIGURATION_BYTES
        }


def parent(path: str) -> str:
    """Return the folder of a path; that of the root is the root."""
    return path.rpartition("/")[0]


def join(folder: str, path: str) -> str | None:
    """Return a relative path as seen from a folder; None if it leaves the tree."""
    if path.startswith("/") or "\0" in path:
        return None
    joined = posixpath.normpath(f"{folder}/{path}" if folder else path)
    if joined == ".":
        return ""
    return None if joined.startswith("..") and joined[2:3] in ("", "/") else joined


def below(folder: str, path: str) -> str:
    """Join a folder and a clean path."""
    return f"{folder}/{path}" if folder else path


def upwards(folder: str) -> Iterator[str]:
    """Yield a folder and those around it, up to the root."""
    while folder:
        yield folder
        folder = parent(folder)
    yield ""


def nearest(path: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that shares the longest part of its path; the first by name if several do."""
    few = islice(candidates, MAX_CANDIDATES)
    return min(few, key=lambda other: (-shared_folders(path, other), other.count("/"), other), default=None)


def shared_folders(path: str, other: str) -> int:
    """Count the leading folders that two paths share."""
    count = 0
    for mine, theirs in zip(parent(path).split("/"), parent(other).split("/"), strict=False):
        if mine != theirs or not mine:
            break
        count += 1
    return count
