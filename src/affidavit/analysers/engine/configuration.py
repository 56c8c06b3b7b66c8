"""Read the few settings that analysers honour from the base commit's configuration files."""

import configparser
import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from posixpath import dirname, normpath
from posixpath import join as join_path
from typing import Any

from affidavit.ports import Tree

MAX_CONFIG_BYTES = 500_000
MAX_VALUES = 2000
NEWEST_PYTHON = (3, 14)
OLDEST_PYTHON = (3, 7)
REQUIRES_PYTHON = re.compile(r"python_requires\s*=\s*['\"]?([^'\"\n]+)")
LOWER_BOUND = re.compile(r"(?:>=|~=|==|\^|>)\s*(\d+)\.(\d+)")

Table = Mapping[str, Any]


def read_text(tree: Tree, *paths: str) -> str:
    """Return the text of the first of these files; empty if there is none or it is too long."""
    content = next((found for path in paths if (found := tree.read(path))), b"")
    return content.decode("utf-8", errors="replace") if len(content) <= MAX_CONFIG_BYTES else ""


def read_toml(tree: Tree, path: str) -> Table:
    """Read a TOML file of the tree; empty if there is none or it is invalid."""
    try:
        return tomllib.loads(read_text(tree, path))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def read_ini(tree: Tree, path: str) -> configparser.RawConfigParser:
    """Read an INI file of the tree; empty if there is none or it is invalid."""
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(read_text(tree, path))
    except configparser.Error:
        return configparser.RawConfigParser()
    return parser


def subtable(table: Table, *keys: str) -> Table:
    """Return the table under the keys; empty if there is none."""
    found: Any = table
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def strings(value: Any) -> list[str]:
    """Return the printable strings of a list."""
    if not isinstance(value, list):
        return []
    return [item for item in value[:MAX_VALUES] if isinstance(item, str) and item.isprintable()]


def folders_above(paths: Iterable[str]) -> list[str]:
    """Return every folder that holds one of the paths, at any depth; the root is the empty string."""
    found = {""}
    for path in paths:
        folder = dirname(path)
        while folder and folder not in found:
            found.add(folder)
            folder = dirname(folder)
    return sorted(found)


def within_repository(folder: str, path: str) -> str | None:
    """Resolve a path of a configuration from the repository's root; None if it leads outside."""
    joined = normpath(join_path(folder, path))
    return None if joined.startswith(("/", "..")) else joined


def oldest_python(tree: Tree) -> tuple[int, int] | None:
    """Return the oldest Python that the project declares."""
    declared = subtable(read_toml(tree, "pyproject.toml"), "project").get("requires-python")
    if not isinstance(declared, str):
        declared = _python_requires(tree)
    bound = LOWER_BOUND.search(declared)
    if bound is None:
        return None
    version = int(bound[1][:3]), int(bound[2][:3])
    return min(max(version, OLDEST_PYTHON), NEWEST_PYTHON)


def _python_requires(tree: Tree) -> str:
    # setup.py is searched as text: running it would run the project's code.
    found = (REQUIRES_PYTHON.search(read_text(tree, path)) for path in ("setup.cfg", "setup.py"))
    return next((one[1] for one in found if one), "")


def toml_list(values: Sequence[str]) -> str:
    """Format a list of strings as TOML."""
    return "[" + ", ".join(toml_string(value) for value in values) + "]"


def toml_string(value: str) -> str:
    """Format a printable string as TOML."""
    return json.dumps(value, ensure_ascii=False)
