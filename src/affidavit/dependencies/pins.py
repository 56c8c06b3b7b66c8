"""Versions that the lock files of the base commit ask for: a tree in, (kind, name) to version out."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from typing import Any

from packaging.utils import canonicalize_name

from affidavit.dependencies.package import Kind, read_object
from affidavit.ports import Tree

Pins = dict[tuple[Kind, str], str]
_EXACT = re.compile(r"^\s*([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*==\s*([\w.!+-]+)", re.MULTILINE)
_PNPM = re.compile(r"^ {2}/?'?(@?[\w.-]+(?:/[\w.-]+)?)@(\d[\w.+-]*)'?(?:\([^)]*\))*'?:", re.MULTILINE)
_YARN = re.compile(r'^"?(@?[^@\s"]+)@[^\n]*:\n {2}version:? "?([^"\n]+)"?', re.MULTILINE)
REQUIREMENTS = ("requirements.txt", "requirements.lock", "constraints.txt")


def pinned_versions(base: Tree) -> Pins:
    """What the lock files at the root pin; of two that disagree, the first."""
    pins: Pins = {}
    for kind, name, version in _all_pins(base):
        pins.setdefault((kind, canonicalize_name(name) if kind == "python" else name), version)
    return pins


def _all_pins(base: Tree) -> Iterator[tuple[Kind, str, str]]:
    for file in ("uv.lock", "poetry.lock", "pdm.lock"):
        for name, version in _toml_packages(_text(base, file)):
            yield "python", name, version
    for section in ("default", "develop"):
        for name, given in _entries(read_object(_text(base, "Pipfile.lock")).get(section)):
            yield "python", name, str(given.get("version", "")).removeprefix("==")
    for file in REQUIREMENTS:
        for match in _EXACT.finditer(_text(base, file)):
            yield "python", match[1], match[2]
    yield from _node_pins(base)


def _node_pins(base: Tree) -> Iterator[tuple[Kind, str, str]]:
    locked = read_object(_text(base, "package-lock.json"))
    for path, given in _entries(locked.get("packages")):
        place, modules, name = path.rpartition("node_modules/")
        if modules and not place and isinstance(given.get("version"), str):
            yield "node", name, given["version"]
    for file, pattern in (("pnpm-lock.yaml", _PNPM), ("yarn.lock", _YARN)):
        for match in pattern.finditer(_text(base, file)):
            yield "node", match[1], match[2]


def _toml_packages(text: str) -> Iterable[tuple[str, str]]:
    try:
        packages = tomllib.loads(text).get("package", [])
    except (tomllib.TOMLDecodeError, RecursionError):
        return []
    named = [one for one in packages if isinstance(one, dict)] if isinstance(packages, list) else []
    return [
        (one["name"], one["version"])
        for one in named
        if isinstance(one.get("name"), str) and isinstance(one.get("version"), str)
    ]


def _entries(value: Any) -> list[tuple[str, dict[str, Any]]]:
    return (
        [(name, one) for name, one in value.items() if isinstance(one, dict)]
        if isinstance(value, dict)
        else []
    )


def _text(tree: Tree, path: str) -> str:
    return "\n".join(tree.lines(path) or [])
