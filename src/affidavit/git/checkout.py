"""Write a tree into a folder for tools that need files, without links, filters or hooks."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from affidavit.errors import GitError
from affidavit.git.command import Git
from affidavit.git.text import is_safe_path
from affidavit.git.tree import REGULAR_MODES, GitTree
from affidavit.ports import Tree
from affidavit.system.temporary import temporary_folder


def write_tree_to(
    tree: Tree,
    folder: Path,
    paths: Iterable[str] | None = None,
    *,
    wanted: Callable[[str], bool] | None = None,
    overrides: Mapping[str, bytes | None] | None = None,
    rewrite: Callable[[str, bytes], bytes] | None = None,
) -> tuple[str, ...]:
    """Write regular files below an empty folder; return the refused paths. An override of None removes."""
    instead = overrides or {}
    chosen = [
        path
        for path in (tree.entries() if paths is None else dict.fromkeys(paths))
        if path not in instead and _is_regular(tree, path) and (wanted is None or wanted(path))
    ]
    asked = [*chosen, *(path for path, content in instead.items() if content is not None)]
    refused = [path for path in asked if not is_safe_path(path)]
    made: set[Path] = set()
    for path, content in _contents(tree, chosen, instead, rewrite):
        if is_safe_path(path) and not _write(folder / path, content, made):
            refused.append(path)
    return tuple(refused)


def _is_regular(tree: Tree, path: str) -> bool:
    entry = tree.entry(path)
    return entry is not None and entry.mode in REGULAR_MODES


def _contents(
    tree: Tree,
    paths: list[str],
    instead: Mapping[str, bytes | None],
    rewrite: Callable[[str, bytes], bytes] | None,
) -> Iterator[tuple[str, bytes | None]]:
    yield from ((path, content) for path, content in instead.items() if content is not None)
    stored: Iterable[tuple[str, bytes | None]]
    stored = (
        tree.read_many(paths) if isinstance(tree, GitTree) else ((path, tree.read(path)) for path in paths)
    )
    for path, content in stored:
        yield path, content if content is None or rewrite is None else rewrite(path, content)


def _write(place: Path, content: bytes | None, made: set[Path]) -> bool:
    """Write one file; False where its content is missing or the file system refuses it."""
    if content is None:
        return False
    try:
        if place.parent not in made:
            place.parent.mkdir(parents=True, exist_ok=True)
            made.add(place.parent)
        # A path that exists already is another one for this file system (case, normal form).
        descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
    except OSError:
        return False
    return True


NAME = ".gitignore"


def is_ignored(tree: Tree, path: str) -> bool:
    """Let git itself read the patterns, in an empty repository that has nothing but them."""
    wanted = [place for place in _places(path) if tree.entry(place) is not None]
    if not wanted or not is_safe_path(path):
        return False
    with temporary_folder("ignored-") as folder:
        write_tree_to(tree, folder, wanted)
        # The user's global ignore file does not belong to this repository.
        git = Git(folder, settings=("core.excludesFile=/dev/null",))
        git.run("init", "--quiet", "--template=")
        done = git.attempt("check-ignore", "--quiet", "--no-index", "--", path)
        if done.returncode not in (0, 1):
            raise GitError(f"git could not say whether {path} is ignored")
        return done.returncode == 0


def _places(path: str) -> Iterator[str]:
    """Yield the files that may have a pattern for the path, from the root on."""
    folders = path.split("/")[:-1]
    for depth in range(len(folders) + 1):
        yield "/".join([*folders[:depth], NAME])
