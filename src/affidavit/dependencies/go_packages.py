"""Go modules: the requirements of a go.mod and the user's module cache in, the modules that lie there out."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from affidavit.dependencies.package import Package
from affidavit.dependencies.small_file import read_text
from affidavit.git.paths import is_safe_path

_REQUIRED = re.compile(
    r"^\s*(?:require\s+)?([\w.~-]+(?:/[\w.~-]+)*)\s+(v[\w.+-]+)\s*(?://.*)?$", re.MULTILINE
)


_VENDORED = re.compile(r"^# (\S+) (v\S+)", re.MULTILINE)


def required_modules(text: str) -> dict[str, str]:
    """Module to version, as a go.mod has them."""
    found = {match[1]: match[2] for match in _REQUIRED.finditer(text)}
    return {name: version for name, version in found.items() if ".." not in name.split("/")}


def go_packages(cache: Path, required: Mapping[str, str]) -> Iterator[Package]:
    """The required modules that are in the cache, at just the version that is required."""
    for name, version in required.items():
        folder = cache / f"{_escaped(name)}@{_escaped(version)}"
        if folder.is_dir() and not folder.is_symlink():
            yield Package("go", name, version, folder)


def vendored_packages(vendor: Path) -> Iterator[Package]:
    """The modules that lie in a folder `vendor`, as its list names them; no folder on the way is a link."""
    for match in _VENDORED.finditer(read_text(vendor / "modules.txt")):
        if is_safe_path(match[1]) and _is_plain(vendor, match[1]):
            yield Package("go", match[1], match[2], vendor / match[1])


def _is_plain(vendor: Path, name: str) -> bool:
    folders = [vendor]
    for part in name.split("/"):
        folders.append(folders[-1] / part)
    return all(folder.is_dir() and not folder.is_symlink() for folder in folders)


def module_cache(environment: Mapping[str, str], home: Path) -> Path:
    """Where Go keeps modules, by the user's own settings."""
    if environment.get("GOMODCACHE"):
        return Path(environment["GOMODCACHE"])
    first = environment.get("GOPATH", "").split(":")[0]
    return (Path(first) if first else home / "go") / "pkg" / "mod"


def _escaped(name: str) -> str:
    """A name as the cache writes it: capitals are marked, since not all disks tell them apart."""
    return re.sub(r"[A-Z]", lambda letter: f"!{letter[0].lower()}", name)
