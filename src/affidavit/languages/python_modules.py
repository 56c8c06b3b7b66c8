"""Python: find the file of the repository that a module name refers to, seen from the importing file."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from affidavit.languages.language import Extract, Resolved, Statement, resolved_file
from affidavit.languages.tree_files import MAX_CANDIDATES, TreeFiles, below, parent, shared_folders, upwards

SOURCE_FOLDERS = ("src", "lib", "python")
PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")
# Only files in the same folder depend on a package below one of these.
SIDE_FOLDERS = frozenset(("test", "tests", "testing", "example", "examples", "docs", "fixtures", "testdata"))
MODULE_ENDS = (".py", ".pyi")
# In Python's order: a package hides a module of the same name.
ENDINGS = ("/__init__.py", ".py", "/__init__.pyi", ".pyi")


class PythonModules:
    """The modules of a tree, by where they can be imported from."""

    def __init__(self, files: TreeFiles, _extracts: Mapping[str, Extract]) -> None:
        self._files = files.blobs
        self._code = _code_folders(files.blobs)
        self._packages = {
            parent(path) for name in ("__init__.py", "__init__.pyi") for path in files.named(name)
        }
        self._projects = {parent(path) for name in PROJECT_FILES for path in files.named(name)}
        self._roots_of_name = self._find_roots()
        self._near_roots = cache(self._find_near_roots)

    def resolve(self, path: str, statement: Statement) -> Iterable[Resolved]:
        """Resolve an import to files; imported names that are modules resolve to their own files."""
        place = self._place(parent(path), statement.name)
        if place is None or not statement.names:
            return resolved_file(self._file_at(place) if place is not None else None, statement.names)
        return self._taken(place, statement.names)

    def _taken(self, place: str, names: tuple[str, ...]) -> list[Resolved]:
        own = self._file_at(place)
        is_package = own is None or own.rpartition("/")[2].startswith("__init__.")
        modules = {name: file for name in names if is_package and (file := self._file_at(below(place, name)))}
        found = [Resolved((file,), (name,)) for name, file in modules.items()]
        rest = tuple(name for name in names if name not in modules)
        return [*resolved_file(own, rest), *found] if rest else found

    def _place(self, folder: str, name: str) -> str | None:
        """Return the path of a module without its ending; None if it is not in this repository."""
        if name.startswith("."):
            return self._relative_place(folder, name)
        return self._absolute_place(self._root(folder), name)

    def _relative_place(self, folder: str, name: str) -> str | None:
        rest = name.lstrip(".")
        for _ in range(len(name) - len(rest) - 1):
            if not folder:
                return None
            folder = parent(folder)
        return below(folder, rest.replace(".", "/")) if rest else folder

    def _absolute_place(self, root: str, name: str) -> str | None:
        part = name.replace(".", "/")
        top = name.partition(".")[0]
        holder: str | None = None
        for folder in self._near_roots(root):
            place = below(folder, part)
            if self._exists(place):
                return place
            if holder is None and below(folder, top) in self._packages:
                # Nothing there has the whole name, but the package is ours: a missing or a compiled module.
                holder = place
        if holder is not None or top in sys.stdlib_module_names:
            return holder
        far = self._far_roots(root, top)
        return next((place for folder in far if self._exists(place := below(folder, part))), None)

    def _find_near_roots(self, root: str) -> tuple[str, ...]:
        """Return where to look first: the importing file's own root, then the folders around it."""
        around = [
            place
            for folder in upwards(root)
            for place in (folder, *(below(folder, source) for source in SOURCE_FOLDERS))
            if not place or place in self._code
        ]
        return tuple(dict.fromkeys((root, *around)))

    def _far_roots(self, root: str, top: str) -> list[str]:
        """Return other roots that have the top-level name, the most likely first."""
        roots = [
            root
            for root in self._roots_of_name.get(top, ())[:MAX_CANDIDATES]
            if SIDE_FOLDERS.isdisjoint(root.split("/"))
        ]
        probe = below(root, "x")
        return sorted(
            roots, key=lambda folder: (-shared_folders(probe, below(folder, "x")), folder.count("/"), folder)
        )

    def _exists(self, place: str) -> bool:
        # A folder without code, such as `json/` with data, is no namespace package.
        return place in self._code or self._file_at(place) is not None

    def _file_at(self, place: str) -> str | None:
        for ending in ENDINGS:
            if place + ending in self._files:
                return place + ending
        return None

    def _root(self, folder: str) -> str:
        """Return the folder from which the packages around a folder are imported."""
        while folder in self._packages and folder:
            folder = parent(folder)
        return folder

    def _find_roots(self) -> dict[str, list[str]]:
        """Find the top-level packages and modules of projects, with the folders that hold them."""
        found: dict[str, list[str]] = {}
        for package in self._packages:
            root, _, name = package.rpartition("/")
            if root not in self._packages and name:
                found.setdefault(name, []).append(root)
        for folder, name in self._loose_modules():
            found.setdefault(name, []).append(folder)
        return found

    def _loose_modules(self) -> Iterator[tuple[str, str]]:
        sources = {below(project, source) for project in self._projects for source in SOURCE_FOLDERS}
        for path in self._files:
            folder, _, name = path.rpartition("/")
            if name.endswith(".py") and (folder in self._projects or folder in sources):
                yield folder, name.removesuffix(".py")
        for namespace in self._code:
            folder, _, name = namespace.rpartition("/")
            if folder in sources and namespace not in self._packages:
                yield folder, name


def module_name(path: str) -> str:
    """Return the dotted name of a file, as seen from the root of the repository."""
    for end in MODULE_ENDS:
        path = path.removesuffix(end)
    return path.removesuffix("/__init__").replace("/", ".")


def _code_folders(files: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for path in files:
        if path.endswith(MODULE_ENDS):
            folder = parent(path)
            while folder and folder not in found:
                found.add(folder)
                folder = parent(folder)
    return found
