"""Find the file that a model means by a path, or say what to write instead."""

import posixpath
from collections.abc import Sequence
from difflib import get_close_matches

from affidavit.errors import InputError
from affidavit.git.glob import expand_braces, is_glob, matching
from affidavit.git.tree import LINK_MODE, SUBMODULE_MODE
from affidavit.ports import Repository, Tree
from affidavit.records.change import Change
from affidavit.records.record import Side
from affidavit.tools.arguments import shown

MAX_GUESSED_PATH = 500
MAX_GUESSED_NAMES = 20_000
DIFF_PREFIXES = ("a/", "b/")


def parse_side(branch: str) -> Side:
    word = branch.strip().lower()
    if word == "head":
        return "head"
    if word == "base":
        return "base"
    raise InputError(f"branch is 'head' (the new code) or 'base' (the old code), not {shown(branch)}")


def plain_path(path: str) -> str:
    """Return the path from the root of the repository; raise InputError if it leaves it."""
    plain = posixpath.normpath(path.lstrip("/") or ".")
    if plain == ".." or plain.startswith("../"):
        raise InputError(
            f"{shown(path)} leaves the repository: only files of the repository can be read, "
            "by their path from its root such as 'src/app.py'"
        )
    return plain


def find_file(path: str, side: Side, change: Change, repository: Repository) -> str:
    """Return a path of that side, forgiving `./`, a leading slash, and the `a/` and `b/` of a diff."""
    tree = repository.side(side)
    for candidate in _readings(path):
        entry = tree.entry(candidate)
        if entry is not None and entry.mode == LINK_MODE:
            raise InputError(
                f"{shown(candidate)} is a symbolic link, and links are not followed: "
                "read the file that it names by its own path"
            )
        if entry is not None and entry.mode == SUBMODULE_MODE:
            raise InputError(f"{shown(candidate)} is a submodule: its files are in another repository")
        if entry is not None:
            return candidate
    raise InputError(_not_there(plain_path(path), side, change, repository))


def _readings(path: str) -> list[str]:
    plain = plain_path(path)
    without_prefix = [plain.removeprefix(prefix) for prefix in DIFF_PREFIXES if plain.startswith(prefix)]
    return [path, plain, *without_prefix]


def existing_place(tree: Tree, path: str) -> str | None:
    """Return the file, folder or glob that a path means, written plainly; None if nothing matches."""
    try:
        readings = [plain_path(path), *_readings(path)]
    except InputError:
        return None
    if readings[0] == ".":
        return "."
    # A folder may be called `[id]`, so names go before patterns.
    named = next((one for one in readings if _is_searchable(tree, one)), None)
    if named or not is_glob(path):
        return named
    # Models write the globs of a diff, and of a folder that they know.
    globs = (*readings, f"**/{readings[0]}")
    return next((one for one in globs if matching_paths(tree, one)), None)


def _is_searchable(tree: Tree, path: str) -> bool:
    entry = tree.entry(path)
    return _is_folder(tree, path) if entry is None else entry.mode not in (LINK_MODE, SUBMODULE_MODE)


def matching_paths(tree: Tree, pattern: str) -> list[str]:
    """Return the files that match a glob, or are in a folder that does."""
    return matching(tree.entries(), alternatives(tree, [pattern]))


def alternatives(tree: Tree, patterns: Sequence[str]) -> list[str]:
    """Write out braces, as in `*.{ts,tsx}`, unless a file or folder has them in its name."""
    return [
        each
        for pattern in patterns
        for each in ([pattern] if _is_searchable(tree, plain_or_same(pattern)) else expand_braces(pattern))
    ]


def plain_or_same(path: str) -> str:
    try:
        return plain_path(path)
    except InputError:
        return path


def _not_there(path: str, side: Side, change: Change, repository: Repository) -> str:
    tree = repository.side(side)
    other: Side = "base" if side == "head" else "head"
    moved = change.file_at(path, other)
    counterpart = moved.path_at(side) if moved else None
    if counterpart is not None:
        return f"the change renames {shown(path)}; on branch '{side}' it is called {shown(counterpart)}"
    if repository.side(other).entry(path) is not None:
        what = "is deleted by the change" if side == "head" else "is added by the change"
        return f"{shown(path)} {what}: read it with branch '{other}'"
    if _is_folder(tree, path):
        return f"{shown(path)} is a folder: list it with list_files, pattern {shown(path + '/**')}"
    close = close_paths(tree, path)
    if close:
        names = " or ".join(map(shown, close))
        return f"there is no file {shown(path)} on branch '{side}'; did you mean {names}?"
    return f"there is no file {shown(path)} on branch '{side}': find its path with list_files"


def _is_folder(tree: Tree, path: str) -> bool:
    prefix = "" if path == "." else f"{path}/"
    return any(name.startswith(prefix) for name in tree.entries())


def close_paths(tree: Tree, path: str) -> list[str]:
    """Return up to three files that have this name, or a similar one, elsewhere."""
    if len(path) > MAX_GUESSED_PATH:
        return []
    by_name: dict[str, list[str]] = {}
    for known in tree.entries():
        by_name.setdefault(known.rsplit("/", 1)[-1], []).append(known)
    name = path.rsplit("/", 1)[-1]
    names = [name] if name in by_name else _close_names(name, list(by_name))
    found = [known for close in names for known in by_name[close]]
    return sorted(found, key=lambda known: -len(set(known.split("/")) & set(path.split("/"))))[:3]


def _close_names(name: str, names: list[str]) -> list[str]:
    # Comparing is slow, and only names of about the same length can be close.
    similar = [known for known in names if abs(len(known) - len(name)) <= 1 + len(name) // 3]
    return get_close_matches(name, similar[:MAX_GUESSED_NAMES], n=3, cutoff=0.75)
