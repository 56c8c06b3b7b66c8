"""Which test files pytest collects on one side, by its settings and the `conftest.py` files: a tree in."""

import ast
import configparser
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any

from affidavit.ports import Tree

SETTINGS: tuple[tuple[str, str], ...] = (
    ("pytest.toml", "pytest"),
    (".pytest.toml", "pytest"),
    ("pytest.ini", "pytest"),
    (".pytest.ini", "pytest"),
    ("pyproject.toml", "tool.pytest.ini_options"),
    ("pyproject.toml", "tool.pytest"),
    ("tox.ini", "pytest"),
    ("setup.cfg", "tool:pytest"),
)
"""In pytest's own order: the first that has the table counts; one of its own name counts even without it."""
CONFTEST = "conftest.py"
NOT_ENTERED = ("*.egg", ".*", "_darcs", "build", "CVS", "dist", "node_modules", "venv", "{arch}")
FILES, FUNCTIONS, CLASSES = ("test_*.py", "*_test.py"), ("test",), ("Test",)
TAKES_VALUE = frozenset({"--ignore", "--ignore-glob", "--deselect", "-k", "-m", "-p"})
LEAVES_OUT = ("--deselect", "-k", "-m", "--collect-only", "--co", "-p=no:python", "-p=no:unittest", "--lf")
"""What runs fewer tests, whatever their files are called."""
MAX_LINES = 20_000


@dataclass(frozen=True)
class Selection:
    """What the settings of one side say about which tests are run."""

    path: str = ""
    """The file that says so; empty where none does."""
    testpaths: tuple[str, ...] = ()
    not_entered: tuple[str, ...] = NOT_ENTERED
    files: tuple[str, ...] = FILES
    functions: tuple[str, ...] = FUNCTIONS
    classes: tuple[str, ...] = CLASSES
    ignored: tuple[str, ...] = ()
    ignored_globs: tuple[str, ...] = ()
    left_out: frozenset[str] = frozenset()
    """Options that run fewer tests, with their values."""


@dataclass(frozen=True)
class Ignores:
    """What the `conftest.py` files of one side say, by the folder that each lies in."""

    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    globs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def selection_of(tree: Tree) -> Selection:
    """The settings that count at the top of a repository."""
    for path, table in SETTINGS:
        text = _text(tree, path)
        if text is None:
            continue
        values = _toml(text, table) if path.endswith(".toml") else _ini(text, table)
        if values is None and path.startswith(("pytest.", ".pytest.")):
            values = {}
        if values is not None:
            return _selection(path, values)
    return Selection()


def ignores_of(tree: Tree) -> Ignores:
    """What all `conftest.py` files leave out by name."""
    names: dict[str, tuple[str, ...]] = {}
    globs: dict[str, tuple[str, ...]] = {}
    for path in tree.entries():
        if PurePosixPath(path).name == CONFTEST and (text := _text(tree, path)) is not None:
            folder = path.rpartition("/")[0]
            names[folder] = tuple(listed(text, "collect_ignore"))
            globs[folder] = tuple(listed(text, "collect_ignore_glob"))
    return Ignores(names, globs)


def collects(path: str, selection: Selection, ignores: Ignores) -> bool:
    """Whether pytest, called without arguments at the top, would look into a file for tests."""
    place = PurePosixPath(path)
    folders = place.parts[:-1]
    if not any(_fits(place, pattern) for pattern in selection.files):
        return False
    if selection.testpaths and not any(_is_under(path, one) for one in selection.testpaths):
        return False
    if any(fnmatchcase(folder, pattern) for folder in folders for pattern in selection.not_entered):
        return False
    if any(_is_under(path, one) for one in selection.ignored):
        return False
    if any(fnmatchcase(path, one) or fnmatchcase(path, f"{one}/*") for one in selection.ignored_globs):
        return False
    return not _is_ignored(path, ignores)


def listed(text: str, name: str) -> Iterator[str]:
    """The texts in what a module assigns or adds to a list of this name."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for one in ast.walk(module):
        targets = one.targets if isinstance(one, ast.Assign) else [getattr(one, "target", None)]
        is_named = any(isinstance(target, ast.Name) and target.id == name for target in targets)
        called = one.func if isinstance(one, ast.Call) else None
        is_added = isinstance(called, ast.Attribute) and getattr(called.value, "id", "") == name
        if is_named or is_added:
            inner = ast.walk(one)
            yield from (text.value for text in inner if _is_text(text))  # type: ignore[attr-defined]


def _is_text(one: ast.AST) -> bool:
    return isinstance(one, ast.Constant) and isinstance(one.value, str)


def _is_ignored(path: str, ignores: Ignores) -> bool:
    for folder, names in ignores.names.items():
        if any(_is_under(path, f"{folder}/{name}".lstrip("/")) for name in names):
            return True
    for folder, globs in ignores.globs.items():
        below = path.removeprefix(f"{folder}/") if folder else path
        if (not folder or below != path) and any(fnmatchcase(below, one) for one in globs):
            return True
    return False


def _fits(place: PurePosixPath, pattern: str) -> bool:
    return fnmatchcase(str(place), f"*{pattern}") if "/" in pattern else fnmatchcase(place.name, pattern)


def _is_under(path: str, folder: str) -> bool:
    """In a folder, or the file itself; a folder may be a pattern."""
    named = folder.removeprefix("./").rstrip("/")
    if named in ("", "."):
        return True
    parts, wanted = path.split("/"), named.split("/")
    together = zip(parts, wanted, strict=False)
    return len(parts) >= len(wanted) and all(fnmatchcase(part, one) for part, one in together)


def _selection(path: str, values: Mapping[str, Any]) -> Selection:
    options = list(_options(values.get("addopts", "")))
    return Selection(
        path=path,
        testpaths=_words(values.get("testpaths")),
        not_entered=_words(values.get("norecursedirs")) or NOT_ENTERED,
        files=_words(values.get("python_files")) or FILES,
        functions=_words(values.get("python_functions")) or FUNCTIONS,
        classes=_words(values.get("python_classes")) or CLASSES,
        ignored=tuple(value for name, value in options if name == "--ignore"),
        ignored_globs=tuple(value for name, value in options if name == "--ignore-glob"),
        left_out=frozenset(
            text
            for name, value in options
            if (text := f"{name}={value}" if value else name).startswith(LEAVES_OUT)
            and _leaves_out(name, value)
        ),
    )


def _leaves_out(name: str, value: str) -> bool:
    # `-p` loads plug-ins, and only two of them find the tests.
    return name != "-p" or f"-p={value}" in LEAVES_OUT


def _options(addopts: Any) -> Iterator[tuple[str, str]]:
    """Name and value of each option."""
    try:
        words = [str(one) for one in addopts] if isinstance(addopts, list) else shlex.split(str(addopts))
    except ValueError:
        words = str(addopts).split()
    at = 0
    while at < len(words):
        name, equals, value = words[at].partition("=")
        if name[:2] in ("-k", "-m", "-p") and len(name) > 2 and not equals:
            name, value = name[:2], name[2:]
        elif name in TAKES_VALUE and not equals and at + 1 < len(words):
            at += 1
            value = words[at]
        yield name, value
        at += 1


def _words(value: Any) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(str(one) for one in value)
    return tuple(str(value).split()) if value else ()


def _toml(text: str, table: str) -> Mapping[str, Any] | None:
    try:
        found: Any = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    for name in table.split("."):
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else None


def _ini(text: str, table: str) -> Mapping[str, Any] | None:
    reader = configparser.ConfigParser(interpolation=None, strict=False, inline_comment_prefixes=("#", ";"))
    try:
        reader.read_string(text)
    except configparser.Error:
        return None
    return dict(reader[table]) if reader.has_section(table) else None


def _text(tree: Tree, path: str) -> str | None:
    lines: Sequence[str] | None = tree.lines(path) if tree.entry(path) else None
    return "\n".join(lines[:MAX_LINES]) if lines is not None else None
