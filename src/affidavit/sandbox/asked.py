"""Read which version of a language a repository asks for, and find an interpreter of that version."""

import re
from collections.abc import Iterable
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


def _is_release(number: str, asked: str) -> bool:
    # Only the minor version is in the program's name: any release of it may suit.
    return bool(re.fullmatch(r"3\.\d+", number)) and suits(f"{number}.99", asked, "python")
