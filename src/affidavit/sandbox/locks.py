"""Read the lock files of base, and write from them what uv, npm and Go need to fetch the packages.

No text of the repository is copied but uv's lock: a package that is not from a registry of the user is left
out, and no address that a lock names is given to a package manager.
"""

import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import urlsplit

from affidavit.ports import Tree
from affidavit.sandbox.registries import NOBODY, PYPI, Registries
from affidavit.sandbox.registries import NPM as NPM_REGISTRY

MAX_LOCK_BYTES = 30_000_000
UV, NPM, GO_MODULE, GO_SUM = "uv.lock", "package-lock.json", "go.mod", "go.sum"
REQUIREMENTS = (
    *("requirements-dev.txt", "requirements/dev.txt", "requirements-test.txt", "requirements/test.txt"),
    *("requirements.lock", "requirements.txt"),
)
PINNED = re.compile(r"[A-Za-z0-9][\w.-]*(?:\[[\w., -]*\])?==[\w.!+*-]+\s*(?:;.*)?")
HASH = re.compile(r"sha\d+:[0-9a-f]+")
# No address of a line is repeated: it may hold a password.
SKIPPED = re.compile(r"--?[A-Za-z-]+(?:[ =][\w./-]{1,100}(?=\s|$))?|[A-Za-z0-9./][\w./-]{0,100}")
INSTALL = (
    # Without --no-deps, uv would ask registries for the packages that are left out.
    "uv pip install -q --require-hashes --no-deps --only-binary :all: "
    '--target "$OUT" --python python -r locked.txt'
)
UV_SCRIPT = (
    "exported() {{ uv export --quiet --frozen --offline --no-emit-project --no-emit-workspace --all-groups "
    '--no-header --no-annotate --python python -o locked.txt "$@" {left_out}; }}\n'
    # Extras may exclude each other.
    f"exported --all-extras || exported || exit 1\n{INSTALL}"
)
NPM_SCRIPT = (
    'cp package.json package-lock.json "$OUT" && cd "$OUT" && '
    'npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --cache "$OUT/.cache" --loglevel error'
)
GO_SCRIPT = 'GOMODCACHE="$OUT" GOFLAGS="-modcacherw -mod=readonly" go mod download'
NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,100}")
GO_LINE = re.compile(r"^(?:require )?[ \t]*([\w./~-]+) (v[\w.+-]+)(?:[ \t]*//.*)?$", re.MULTILINE)
GO_REPLACED = re.compile(r"^(?:replace )?[ \t]*([\w./~-]+)(?: v[\w.+-]+)? => ", re.MULTILINE)
GO_VERSION = re.compile(r"^go (\d+(?:\.\d+){1,2})$", re.MULTILINE)


@dataclass(frozen=True)
class Lock:
    """What one package manager is to fetch."""

    language: str
    program: str
    """The manager."""
    paths: tuple[str, ...]
    """The lock files of the repository."""
    files: Mapping[str, str]
    """What the manager is given."""
    script: str
    left_out: tuple[str, ...] = ()
    """Packages that are not from a registry of the user, or that only a build could install."""
    skipped: tuple[str, ...] = ()
    """Lines of requirements without a version and its hashes."""


def locks_of(base: Tree, registries: Registries) -> Iterator[Lock]:
    """Yield what can be fetched for the lock files at the root of base."""
    readers: Sequence[Callable[[Tree, Registries], Lock | None]] = (_uv, _npm, _go)
    for read in readers:
        try:
            found = read(base, registries)
        except (ValueError, TypeError, KeyError, AttributeError, StopIteration, RecursionError):
            # A lock that its own tool could not have written.
            continue
        if found is not None:
            yield found


def _text(tree: Tree, path: str) -> str:
    data = tree.read(path) or b""
    return data.decode("utf-8", "replace") if len(data) <= MAX_LOCK_BYTES else ""


def _uv(base: Tree, registries: Registries) -> Lock | None:
    lock = _text(base, UV)
    if not lock:
        return _hashed(base)
    packages = [one for one in tomllib.loads(lock)["package"] if NAME.fullmatch(one["name"])]
    own = {one["name"]: one["source"] for one in packages if {"editable", "virtual"} & one["source"].keys()}
    root = next(name for name, source in own.items() if "." in source.values())
    # A mirror replaces PyPI.
    indexes = {PYPI, *registries.python}
    left_out = sorted({one["name"] for one in packages if not _is_wheel_of(indexes, one)})
    # uv takes everything else from its lock.
    files = {"pyproject.toml": f'[project]\nname = "{root}"\nversion = "0"\n', UV: lock}
    flags = " ".join(f"--no-emit-package {name}" for name in left_out)
    told = tuple(name for name in left_out if name not in own)
    return Lock("python", "uv", (UV,), files, UV_SCRIPT.format(left_out=flags), told)


def _is_wheel_of(indexes: Collection[str], package: Mapping[str, Any]) -> bool:
    return str(package["source"].get("registry")).rstrip("/") in indexes and bool(package.get("wheels"))


def _hashed(base: Tree) -> Lock | None:
    """Read requirements with hashes: only lines that name a version and its hashes count."""
    for path in REQUIREMENTS:
        joined = re.sub(r"\\\r?\n", " ", _text(base, path))
        lines = [line for line in map(str.strip, joined.splitlines()) if line and not line.startswith("#")]
        if pinned := [line for line in lines if _is_pinned(line)]:
            found = ((line, SKIPPED.match(line)) for line in lines if not _is_pinned(line))
            skipped = tuple(dict.fromkeys(one[0] if one else line[:1] for line, one in found))
            files = {"locked.txt": "\n".join([*pinned, ""])}
            return Lock("python", "uv", (path,), files, INSTALL, skipped=skipped)
    return None


def _is_pinned(line: str) -> bool:
    asked, *hashes = line.partition(" #")[0].split(" --hash=")
    are_hashes = bool(hashes) and all(HASH.fullmatch(one.strip()) for one in hashes)
    return are_hashes and PINNED.fullmatch(asked.strip()) is not None


INNER = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
KEPT = {
    *(*INNER, "peerDependenciesMeta", "version", "integrity", "name", "bin"),
    *("os", "cpu", "libc", "optional", "peer", "inBundle"),
}
INTEGRITY = re.compile(r"sha(?:1|256|384|512)-[A-Za-z0-9+/]+=*")
NPM_NAME = re.compile(r"(?:@[\w.~-]+/)?[\w.~-]+")
NPM_VERSION = re.compile(r"\d+\.\d+\.\d+[\w.+-]*")
FOLDER = re.compile(r"(?:node_modules/(?:@[\w.~-]+/)?[\w.~-]+)(?:/node_modules/(?:@[\w.~-]+/)?[\w.~-]+)*")


def _npm(base: Tree, registries: Registries) -> Lock | None:
    """Write a lock of the packages with a hash, and a package.json that asks for those at the top."""
    lock = _text(base, NPM)
    if not lock:
        return None
    packages: dict[str, dict[str, Any]] = json.loads(lock)["packages"]
    listed = {path: one for path, one in packages.items() if FOLDER.fullmatch(path)}
    foreign = {path for path, one in listed.items() if not _is_from(registries, path, one)}
    kept = {path: one for path, one in listed.items() if foreign.isdisjoint(_places(path))}
    entries = {path: _without(path, one, listed, kept) for path, one in kept.items()}
    top = {
        path.removeprefix("node_modules/"): one
        for path, one in entries.items()
        if path.count("node_modules/") == 1
    }
    root: dict[str, Any] = {"name": "fetched", "version": "0.0.0"}
    for table, is_optional in (("dependencies", False), ("optionalDependencies", True)):
        root[table] = {
            name: f"npm:{one['name']}@{one['version']}" if one.get("name", name) != name else one["version"]
            for name, one in top.items()
            if bool(one.get("optional")) is is_optional
        }
    written = {"lockfileVersion": 3, "requires": True, **root, "packages": {"": root, **entries}}
    files = {"package.json": json.dumps(root), NPM: json.dumps(written)}
    gone = {_name(path) for path in foreign if not listed[path].get("link")}
    return Lock("node", "npm", (NPM,), files, NPM_SCRIPT, tuple(sorted(gone)))


def _name(path: str) -> str:
    return path.rpartition("node_modules/")[2]


def _places(path: str) -> list[str]:
    """Return the folder of a package, and of each package around it."""
    return [path, *(path[: one.start()] for one in re.finditer("/node_modules/", path))]


def _is_from(registries: Registries, path: str, entry: Mapping[str, Any]) -> bool:
    """Tell whether npm asks the host that the lock names, or a mirror of npm's own."""
    settings = dict(registries.npm)
    scope = str(entry.get("name") or _name(path)).partition("/")[0]
    asked = settings.get(f"{scope}:registry") or settings.get("registry", NPM_REGISTRY)
    resolved = urlsplit(str(entry.get("resolved") or NPM_REGISTRY))
    hosts = {urlsplit(one).netloc for one in (asked, NPM_REGISTRY)}
    is_plain = NPM_NAME.fullmatch(entry.get("name", "x")) and NPM_VERSION.fullmatch(entry.get("version", ""))
    is_asked = asked != NOBODY and resolved.scheme in {"https", "http"} and resolved.netloc in hosts
    if entry.get("link") or not is_plain or not is_asked:
        return False
    hashes = entry.get("integrity", "").split()
    return all(map(INTEGRITY.fullmatch, hashes)) if hashes else bool(entry.get("inBundle"))


def _without(
    path: str, entry: Mapping[str, Any], listed: Collection[str], kept: Collection[str]
) -> dict[str, Any]:
    """Keep what npm needs to place a package: no address, no script, nothing that is left out."""
    own = {name: value for name, value in entry.items() if name in KEPT}
    for table in INNER:
        if table in own:
            own[table] = {
                name: version for name, version in own[table].items() if _found(name, path, listed) in kept
            }
    return own


def _found(name: str, path: str, listed: Collection[str]) -> str:
    """Return the folder that a package finds another in; empty if the lock has none."""
    around = (f"{place}/node_modules/{name}" for place in sorted(_places(path), key=len, reverse=True))
    return next((place for place in (*around, f"node_modules/{name}") if place in listed), "")


def _go(base: Tree, registries: Registries) -> Lock | None:
    module, sums = _text(base, GO_MODULE), _text(base, GO_SUM)
    if not module or not sums:
        return None
    version = GO_VERSION.search(module)
    lines = ["module affidavit.invalid/fetch", f"go {version[1]}" if version else ""]
    own = {*GO_REPLACED.findall(module)}
    asked = [one for one in GO_LINE.findall(module) if one[0] not in own]
    # Without its sum, nothing says what a module must be.
    summed = {tuple(line.split()[:2]) for line in sums.splitlines()}
    gone = {one[0] for one in asked if one not in summed or _is_private(registries.go_private, one[0])}
    lines += [f"require {name} {number}" for name, number in asked if name not in gone]
    files = {GO_MODULE: "\n".join([*lines, ""]), GO_SUM: sums}
    return Lock("go", "go", (GO_MODULE, GO_SUM), files, GO_SCRIPT, tuple(sorted(gone)))


def _is_private(patterns: str, module: str) -> bool:
    """Check whether a pattern of Go, such as `corp.test/*`, names the beginning of a module's path."""
    parts = module.split("/")
    wanted = [one.strip().split("/") for one in patterns.split(",") if one.strip()]
    return any(len(one) <= len(parts) and all(map(fnmatchcase, parts, one)) for one in wanted)
