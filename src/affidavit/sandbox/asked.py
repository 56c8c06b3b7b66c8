"""Read which version of a language a repository asks for, and find an interpreter of that version."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from affidavit.ports import Tree

LINE = re.MULTILINE
ASKS = (
    ("python", "pyproject.toml", re.compile(r"""^requires-python\s*=\s*["']([^"']{1,60})["']""", LINE)),
    ("node", ".nvmrc", re.compile(r"^v?(\d[\d.]*)\s*$", LINE)),
    ("go", "go.mod", re.compile(r"^go (\d[\d.]*)\s*$", LINE)),
    ("rust", "rust-toolchain.toml", re.compile(r"""^channel\s*=\s*["']([\w.-]{1,40})["']""", LINE)),
    ("rust", "rust-toolchain", re.compile(r"^([\w.-]{1,40})\s*$")),
)


def asked_version(language: str, tree: Tree) -> str:
    """Return the version that a tree asks for; empty if it does not say."""
    for name, path, pattern in ASKS:
        found = (
            pattern.search((tree.read(path) or b"").decode("utf-8", "replace")) if name == language else None
        )
        if found:
            return " ".join(found[1].split())
    return ""


def suits(version: str, asked: str, language: str) -> bool:
    """Check whether a version is one of those asked for; what cannot be compared suits."""
    try:
        if language == "python":
            return SpecifierSet(asked).contains(version, prereleases=True)
        if language == "go":
            return Version(version) >= Version(asked)
        return version.split(".")[: len(asked.split("."))] == asked.split(".")
    except (InvalidSpecifier, InvalidVersion):
        return True


def python_for(asked: str, folders: Iterable[Path]) -> Path | None:
    """Return the folder of the newest Python below these folders that suits; None if there is none."""
    programs = (one for folder in folders for one in folder.glob("*/bin/python3.*") if one.is_file())
    found = [(one.name.removeprefix("python"), one.parent.parent) for one in programs]
    fitting = [(Version(number), place) for number, place in found if _is_release(number, asked)]
    return max(fitting)[1] if fitting else None


IN_A_HOME: Mapping[str, tuple[str, ...]] = {
    "node": (
        ".nvm/versions/node/*/bin/node",
        ".local/share/fnm/node-versions/*/installation/bin/node",
        ".volta/tools/image/node/*/bin/node",
        ".asdf/installs/nodejs/*/bin/node",
        ".local/share/mise/installs/node/*/bin/node",
    ),
    "go": ("sdk/go*/bin/go", "go/pkg/mod/golang.org/toolchain@*/bin/go", ".asdf/installs/golang/*/go/bin/go"),
    "rust": (".rustup/toolchains/*/bin/cargo",),
}
"""Where version switchers keep the interpreters of a user."""
NUMBER = re.compile(r"\d+(?:\.\d+)+")
USUAL_RUST = "stable"


def toolchain_for(language: str, asked: str, homes: Iterable[Path]) -> Path | None:
    """Return the folder of the newest toolchain in these homes that suits; None if there is none."""
    wanted = asked or (USUAL_RUST if language == "rust" else "")
    programs = (one for home in homes for pattern in IN_A_HOME[language] for one in home.glob(pattern))
    places = [one.parent.parent for one in programs if wanted and one.is_file()]
    if not wanted[:1].isdigit():
        return next((one for one in places if f"{one.name}-".startswith(f"{wanted}-")), None)
    numbered = [(found[-1], one) for one in places if (found := NUMBER.findall(str(one)))]
    fitting = [(Version(number), place) for number, place in numbered if suits(number, wanted, language)]
    return max(fitting)[1] if fitting else None


def _is_release(number: str, asked: str) -> bool:
    # Only the minor version is in the program's name: any release of it may suit.
    return bool(re.fullmatch(r"3\.\d+", number)) and suits(f"{number}.99", asked, "python")
