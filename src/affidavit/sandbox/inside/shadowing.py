"""Files that would stand before code of the change: a path that a program adds in, why it may not out."""

import json
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from affidavit.ports import Entry, Tree

LOADED_BY_ITSELF = frozenset({"sitecustomize", "usercustomize", "conftest"})
"""What Python and pytest load before anything that is asked for."""
FAMILIES: Mapping[str, str] = {
    **dict.fromkeys((".py", ".pyc", ".pyw", ".so"), "python"),
    **dict.fromkeys((".js", ".cjs", ".mjs", ".jsx", ".json", ".node", ".ts", ".cts", ".mts", ".tsx"), "node"),
    **dict.fromkeys((".rb",), "ruby"),
    **dict.fromkeys((".php",), "php"),
    **dict.fromkeys((".pl", ".pm"), "perl"),
}
PACKAGES = "node_modules/"
MAX_MANIFESTS = 200


def shadows(path: str, tree: Tree) -> str:
    """What of the change a file at this path would stand before; empty where nothing."""
    parts = PurePosixPath(path).parts
    names = {part.split(".")[0] for part in parts}
    if names & LOADED_BY_ITSELF and family_of(path) == "python":
        return f"what the interpreter loads by itself ({path})"
    entries = tree.entries()
    if path.startswith(PACKAGES):
        return _own_package(path.removeprefix(PACKAGES), entries, tree)
    if (
        parts[-1] == "package.json"
        and len(parts) > 1
        and _has_folder(str(PurePosixPath(path).parent), entries)
    ):
        return f"how {PurePosixPath(path).parent} is imported"
    return _own_module(path, entries)


def family_of(path: str) -> str:
    """Whose interpreter looks for a file with this ending."""
    return FAMILIES.get(PurePosixPath(path).suffix, "")


def _own_module(path: str, entries: Iterable[str]) -> str:
    """A file of the same family that is imported by the same name."""
    family, wanted = family_of(path), _module(path)
    if not family:
        return ""
    for own in entries:
        if family_of(own) == family and (_module(own) == wanted or own.startswith(f"src/{wanted}/")):
            return own
    return ""


def _module(path: str) -> str:
    """By what name a file is imported from the root; `src` is a root, too."""
    place = PurePosixPath(path.removeprefix("src/") if family_of(path) == "python" else path)
    stem = place.name.split(".")[0]
    return str(place.parent if stem in ("__init__", "index") else place.parent / stem)


def _own_package(path: str, entries: Mapping[str, Entry], tree: Tree) -> str:
    parts = path.split("/")
    name = "/".join(parts[:2] if path.startswith("@") else parts[:1])
    if _has_folder(PACKAGES + name, entries) or name in _package_names(entries, tree):
        return f"the package {name} of the repository"
    stem = name.split("/")[-1].split(".")[0]
    own = (one for one in entries if family_of(one) == "node" and one.count("/") < 2)
    return next((one for one in own if _module(one).removeprefix("src/") == stem), "")


def _package_names(entries: Mapping[str, Entry], tree: Tree) -> set[str]:
    manifests = [one for one in entries if PurePosixPath(one).name == "package.json"][:MAX_MANIFESTS]
    return {name for one in manifests for name in _name_in(tree.read(one) or b"")}


def _name_in(manifest: bytes) -> list[str]:
    try:
        read = json.loads(manifest)
    except ValueError:
        return []
    name = read.get("name") if isinstance(read, dict) else None
    return [name] if isinstance(name, str) else []


def _has_folder(folder: str, entries: Iterable[str]) -> bool:
    return any(one.startswith(f"{folder}/") for one in entries)
