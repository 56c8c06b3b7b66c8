"""Find modules and classes in the repository."""

import re
from dataclasses import dataclass
from posixpath import dirname
from weakref import WeakKeyDictionary

from affidavit.analysers.engine.configuration import folders_above
from affidavit.languages.python_modules import MODULE_ENDS
from affidavit.ports import Tree
from affidavit.records.evidence import SearchHit

PYTHON = (".py", ".pyi", ".pyw")
PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")
MAX_ROOTS = 40
MAX_SUBCLASSES = 60
CLASS_NAME = re.compile(r"class\s+(\w+)")
FOUND_SUBCLASSES: WeakKeyDictionary[Tree, dict[str, set[str]]] = WeakKeyDictionary()


@dataclass(frozen=True)
class ModulePlace:
    """A file that a dotted name can mean, and the folder that it is imported from."""

    path: str
    root: str


def module_places(tree: Tree, module: str) -> list[ModulePlace]:
    """Return every file of the tree that the dotted name can mean, from whatever source folder."""
    parts = module.replace(".", "/")
    ends = [f"{parts}{end}" for end in MODULE_ENDS] + [f"{parts}/__init__{end}" for end in MODULE_ENDS]
    return [
        ModulePlace(path, path[: -len(end)])
        for path in tree.entries()
        for end in ends
        if path == end or path.endswith(f"/{end}")
    ]


def imported_place(tree: Tree, module: str) -> ModulePlace | None:
    """Return the file that Python imports by the dotted name; None if no folder or several have one."""
    places = module_places(tree, module)
    modules = [place for place in places if not place.path.endswith(".pyi")] or places
    if len({place.root for place in modules}) != 1:
        return None
    # A package comes before a module of its name.
    return max(modules, key=lambda place: place.path.endswith("/__init__.py"))


def has_folder(tree: Tree, module: str) -> bool:
    """Return whether the dotted name can mean a folder of the tree, from whatever source folder."""
    folder = module.replace(".", "/") + "/"
    return any(path.startswith(folder) or f"/{folder}" in path for path in tree.entries())


def absolute_module(module: str, path: str) -> str:
    """Return the module that the file at `path` imports, with leading dots resolved."""
    dots = len(module) - len(module.lstrip("."))
    if dots == 0:
        return module
    package = path.split("/")[:-dots]
    return ".".join([*package, *filter(None, [module[dots:]])])


def is_made_elsewhere(tree: Tree, module: str, *, but_for: str = "") -> bool:
    """Return whether a build may make the module: an extension, a template, a generated file."""
    folder, _, stem = module.replace(".", "/").rpartition("/")
    if stem.startswith("_") or stem.endswith(("_pb2", "_pb2_grpc", "version")):
        return True
    near = f"{folder}/{stem}." if folder else f"{stem}."
    paths = (path for path in tree.entries() if not but_for or not path.endswith(but_for))
    return any(path.startswith(near) or f"/{near}" in path for path in paths)


def search_python(tree: Tree, pattern: str, max_hits: int = 1) -> list[SearchHit]:
    """Search the Python files of a tree."""
    return tree.search(pattern, max_hits=max_hits, counts=lambda path: path.lower().endswith(PYTHON))


def subclass_files(tree: Tree, class_name: str) -> set[str]:
    """Return the files with classes that inherit from the class, directly or through others."""
    found = FOUND_SUBCLASSES.setdefault(tree, {})
    if class_name not in found:
        found[class_name] = _subclass_files(tree, class_name)
    return found[class_name]


def _subclass_files(tree: Tree, class_name: str) -> set[str]:
    found: set[str] = set()
    known = waiting = {class_name}
    while waiting and len(known) < MAX_SUBCLASSES:
        pattern = rf"^\s*class\s+\w+\(.*\b({'|'.join(map(re.escape, sorted(waiting)))})\b"
        hits = search_python(tree, pattern, MAX_SUBCLASSES)
        named = [(hit.path, name[1]) for hit in hits if (name := CLASS_NAME.search(hit.text))]
        found |= {path for path, _ in named}
        waiting = {name for _, name in named} - known
        known = known | waiting
    return found


def is_redefined_below(tree: Tree, class_name: str, member: str) -> bool:
    """Return whether a subclass seems to define the member too, so that another may be meant at run time."""
    pattern = re.compile(rf"\bdef\s+{re.escape(member)}\b|\b{re.escape(member)}\s*[:=]".encode())
    return any(pattern.search(tree.read(path) or b"") for path in subclass_files(tree, class_name))


def package_root(tree: Tree, path: str) -> str:
    """Return the folder that a file, or the package that it belongs to, is imported from."""
    folder = dirname(path)
    while folder and tree.entry(f"{folder}/__init__.py") is not None:
        folder = dirname(folder)
    return folder


def source_folders(tree: Tree) -> list[str]:
    """Return the folders of packages: the root, each project, and their `src` folders."""
    entries = tree.entries()
    projects = {dirname(path) for path in entries if path.rpartition("/")[2] in PROJECT_FILES}
    folders = folders_above(path for path in entries if path.endswith((".py", ".pyi")))
    found = ["."]
    for project in sorted({"", *projects}, key=lambda folder: (folder.count("/"), folder)):
        prefix = f"{project}/" if project else ""
        found += [folder for folder in (project, f"{prefix}src") if folder and folder in folders]
    return list(dict.fromkeys(found))[:MAX_ROOTS]
