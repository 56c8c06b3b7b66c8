"""Python: which file of the repository a module name means, seen from the file that imports it."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence

from affidavit.languages.language import Extract, Meant, Resolve, Statement
from affidavit.languages.tree_files import MAX_CANDIDATES, TreeFiles, below, parent, shared_folders, upwards

SOURCE_FOLDERS = ("src", "lib", "python")
PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")
# A package below one of these is nobody's dependency, except for files that stand there themselves.
SIDE_FOLDERS = frozenset(("test", "tests", "testing", "example", "examples", "docs", "fixtures", "testdata"))
MODULE_ENDS = (".py", ".pyi")
# As Python looks for them: a package hides a module of its name.
ENDINGS = ("/__init__.py", ".py", "/__init__.pyi", ".pyi")


def python_resolver(files: TreeFiles, _extracts: Mapping[str, Extract]) -> Resolve:
    return PythonModules(files).meant


class PythonModules:
    """The modules of a tree, by where they can be imported from."""

    def __init__(self, files: TreeFiles) -> None:
        self._files = files.blobs
        self._code = _code_folders(files.blobs)
        self._packages = {
            parent(path) for name in ("__init__.py", "__init__.pyi") for path in files.named(name)
        }
        self._projects = {parent(path) for name in PROJECT_FILES for path in files.named(name)}
        self._roots_of_name = self._find_roots()
        self._found: dict[tuple[str, str], str | None] = {}
        self._root_of_folder: dict[str, str] = {}
        self._meant: dict[tuple[str, str, tuple[str, ...]], Sequence[Meant]] = {}
        self._places: dict[str, tuple[str, ...]] = {}

    def meant(self, path: str, statement: Statement) -> Iterable[Meant]:
        """The files that an import means; names that are modules themselves mean their own file."""
        # The same line stands in hundreds of files, and means the same for all that share a root.
        folder = parent(path)
        seen_from = folder if statement.name.startswith(".") else self._root(folder)
        key = (seen_from, statement.name, statement.names)
        found = self._meant.get(key)
        if found is None:
            found = self._meant[key] = self._find(path, statement)
        return found

    def _find(self, path: str, statement: Statement) -> Sequence[Meant]:
        place = self._place(path, statement.name)
        if place is None:
            return (Meant((), statement.names),)
        if not statement.names:
            return (Meant(_targets(self._file_at(place)), ()),)
        return self._taken(place, statement.names)

    def _taken(self, place: str, names: tuple[str, ...]) -> list[Meant]:
        own = self._file_at(place)
        is_package = own is None or own.rpartition("/")[2].startswith("__init__.")
        modules = {name: file for name in names if is_package and (file := self._file_at(below(place, name)))}
        found = [Meant((file,), (name,)) for name, file in modules.items()]
        rest = tuple(name for name in names if name not in modules)
        return [Meant(_targets(own), rest), *found] if rest else found

    def _place(self, path: str, name: str) -> str | None:
        """The path of a module without its ending; None where it is not in this repository."""
        folder = parent(path)
        if name.startswith("."):
            return self._relative_place(folder, name)
        root = self._root(folder)
        key = (root, name)
        if key not in self._found:
            self._found[key] = self._absolute_place(root, name)
        return self._found[key]

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

    def _near_roots(self, root: str) -> tuple[str, ...]:
        """Where to look first: the importing file's own root, then the folders around it."""
        if root not in self._places:
            around = [
                place
                for folder in upwards(root)
                for place in (folder, *(below(folder, source) for source in SOURCE_FOLDERS))
                if not place or place in self._code
            ]
            self._places[root] = tuple(dict.fromkeys((root, *around)))
        return self._places[root]

    def _far_roots(self, root: str, top: str) -> list[str]:
        """Other roots that have the top-level name, the most likely first."""
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
        """The folder from which the packages around a folder are imported."""
        if folder not in self._root_of_folder:
            root = folder
            while root in self._packages and root:
                root = parent(root)
            self._root_of_folder[folder] = root
        return self._root_of_folder[folder]

    def _find_roots(self) -> dict[str, list[str]]:
        """Top-level packages, and modules of projects, with the folders that hold them."""
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
    """The dotted name of a file, as seen from the repository's root."""
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


def _targets(file: str | None) -> tuple[str, ...]:
    return (file,) if file else ()
