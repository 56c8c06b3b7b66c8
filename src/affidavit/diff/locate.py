"""Find the commit that a diff was made from, by what the diff says stood there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from affidavit.diff.parse import FileDiff
from affidavit.diff.patched_tree import PatchedTree, is_opaque
from affidavit.diff.suffixes import renamed_by_suffix
from affidavit.git.objects import ObjectStore
from affidavit.git.repository import commit_tree
from affidavit.git.revisions import find_commit
from affidavit.git.tree import GitTree

RECENT_COMMITS = 30
MAX_PATHS = 100


@dataclass(frozen=True)
class PlacedDiff:
    """The commit that holds what a diff was made from, and the tree after the diff."""

    base: GitTree
    head_tree: str
    files: tuple[FileDiff, ...]
    """The files of the diff, under the names that the commit has for them."""
    unknown: tuple[FileDiff, ...]
    """Binary files and submodules whose new content is not in the diff and not in the repository."""


def place_diff(store: ObjectStore, files: Sequence[FileDiff]) -> PlacedDiff | None:
    """Try the diff's own names, then names of the repository that end alike; None where none fits exactly."""
    placed = _placed(store, files)
    head = find_commit(store, "HEAD")
    if placed or head is None:
        return placed
    names = renamed_by_suffix(files, commit_tree(store, head))
    return next((found for renamed in names if (found := _placed(store, renamed))), None)


def _placed(store: ObjectStore, files: Sequence[FileDiff]) -> PlacedDiff | None:
    """Try HEAD, then the states before recent commits to the same files."""
    for commit in _candidates(store, files):
        base = commit_tree(store, commit)
        tree = PatchedTree(store, base)
        failed = [file for file in files if not tree.apply(file)]
        if all(is_opaque(file) for file in failed):
            return PlacedDiff(base, tree.write(), tuple(files), tuple(failed))
    return None


def _candidates(store: ObjectStore, files: Sequence[FileDiff]) -> Iterator[str]:
    head = find_commit(store, "HEAD")
    if head is None:
        return
    yield head
    names = dict.fromkeys(name for file in files for name in (file.old_name, file.new_name) if name)
    places = [b":(literal)" + name for name in list(names)[:MAX_PATHS]]
    options = (f"--max-count={RECENT_COMMITS}", "--first-parent", "-m", "--format=%P")
    listed = store.git.run("log", "--no-color", *options, head, "--", *places).decode()
    parents = dict.fromkeys(line.split()[0] for line in listed.split("\n") if line.strip())
    yield from (parent for parent in parents if parent != head and store.kind(parent) == "commit")
