"""Apply a diff to a tree exactly, or make the part of a tree that a diff shows by itself."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from affidavit.diff.between import detect_language
from affidavit.diff.hunks import apply_hunks, lay_out
from affidavit.diff.parse import FileDiff
from affidavit.errors import InputError
from affidavit.git.objects import MAX_READ_BYTES, ObjectStore
from affidavit.git.repository import commit_tree
from affidavit.git.revisions import find_commit
from affidavit.git.text import decode_path
from affidavit.git.tree import SUBMODULE_MODE, GitTree
from affidavit.ports import Entry
from affidavit.records.change import FileChange, FileStatus
from affidavit.records.record import Side

REGULAR_MODE = "100644"
MAX_LAID_OUT_BYTES = 200_000_000
_SUBPROJECT = re.compile(rb"[+ ]Subproject commit ([0-9a-f]{40}(?:[0-9a-f]{24})?)")

Entries = dict[bytes, tuple[str, str] | None]
"""Paths with their new mode and blob; None removes a path."""


@dataclass(frozen=True)
class _Content:
    """A file after the diff: the id of its blob, or its data if that is new."""

    mode: str
    blob: str = ""
    data: bytes = b""


def apply_exactly(
    store: ObjectStore, base: GitTree, files: Sequence[FileDiff]
) -> tuple[Entries, list[FileDiff]]:
    """Return a tree after a patch, and the files that do not apply exactly."""
    entries = {entry.raw_path: entry for entry in base.entries().values()}
    found: dict[bytes, _Content | None] = {}
    failed: list[FileDiff] = []
    for file in files:
        source = file.old_name or file.name
        new = _after(store, None if file.old_name is None and source in found else entries.get(source), file)
        if new is None:
            failed.append(file)
            continue
        if file.old_name is not None and file.status is not FileStatus.COPIED:
            found.setdefault(file.old_name, None)
        if file.new_name is not None:
            found[file.new_name] = new
    return _written(store, found), failed


def _written(store: ObjectStore, found: Mapping[bytes, _Content | None]) -> Entries:
    blobs = dict(store.write_named((name, new.data) for name, new in found.items() if new and not new.blob))
    return {name: (new.mode, new.blob or blobs[name]) if new else None for name, new in found.items()}


def _after(store: ObjectStore, old: Entry | None, file: FileDiff) -> _Content | None:
    """Return a file after the diff; None if it was made from another content."""
    if (old is None) is not (file.old_name is None):
        return None
    mode = file.new_mode or (old.mode if old else REGULAR_MODE)
    if SUBMODULE_MODE in (mode, old.mode if old else mode):
        commit = _subproject(file)
        return _Content(mode, commit) if commit else None
    if file.is_binary or (old and not file.hunks):
        blob = file.new_blob if file.is_binary else old.blob if old else None
        is_known = file.new_name is None or (blob is not None and store.kind(blob) == "blob")
        return _Content(mode, blob or "") if is_known else None
    if old and (store.size(old.blob) or 0) > MAX_READ_BYTES:
        return None
    before = store.read(old.blob) if old else b""
    data = None if before is None else apply_hunks(before, file.hunks)
    is_exact = data is not None and (file.new_name is not None or not data)
    return _Content(mode, data=data or b"") if is_exact else None


def _subproject(file: FileDiff) -> str | None:
    lines = (_SUBPROJECT.fullmatch(line) for hunk in file.hunks for line in hunk.lines)
    found = [match[1].decode() for match in lines if match]
    return found[-1] if found else file.new_blob or file.old_blob


def write_tree(store: ObjectStore, base: GitTree, changes: Entries) -> GitTree:
    """Write a tree with some paths changed; refuse a path that is a file and a folder."""
    tree = GitTree(store, store.write_tree(base.revision, changes))
    wanted = {entry.raw_path for entry in base.entries().values()} - changes.keys()
    wanted |= {name for name, new in changes.items() if new}
    # Git keeps one and drops the other without an error.
    lost = sorted(wanted - {entry.raw_path for entry in tree.entries().values()})
    if lost:
        raise InputError(f"{decode_path(lost[0])} cannot be both a file and a folder")
    return tree


def is_opaque(file: FileDiff) -> bool:
    """Check whether the diff itself does not show what the file becomes."""
    return file.is_binary or file.is_submodule


def is_wholly_shown(file: FileDiff) -> bool:
    """Check whether the hunks show every line that the file has on either side."""
    return file.status in (FileStatus.ADDED, FileStatus.DELETED) and not file.is_binary


def shown_tree(store: ObjectStore, files: Sequence[FileDiff], side: Side) -> GitTree:
    """Write the part of a tree that a diff shows; lines it does not show are empty."""
    found: dict[bytes, _Content | None] = {}
    total = 0
    for name, file in _present(files, side):
        mode = (file.old_mode if side == "base" else file.new_mode) or REGULAR_MODE
        if mode == SUBMODULE_MODE or file.is_binary:
            continue
        data = lay_out(file.hunks, side)
        total += len(data)
        if total > MAX_LAID_OUT_BYTES:
            raise InputError("the diff is too large to lay out without its repository")
        found[name] = _Content(mode, data=data)
    return write_tree(store, GitTree(store, store.empty_tree()), _written(store, found))


def _present(files: Sequence[FileDiff], side: Side) -> Iterator[tuple[bytes, FileDiff]]:
    """Yield the files of a side by their names there; a file that was copied comes first."""
    own: dict[bytes, FileDiff] = {}
    for file in files:
        name = file.old_name if side == "base" else file.new_name
        if name is None or (side == "base" and file.status is FileStatus.COPIED):
            continue
        if name in own:
            raise InputError(
                f"{decode_path(name)} is changed more than once in this diff: "
                "a series of patches can be reviewed only inside its repository"
            )
        own[name] = file
    if side == "base":
        yield from ((one.old_name, one) for one in files if one.old_name and one.old_name not in own)
    yield from own.items()


def describe_file(file: FileDiff, base: GitTree, head: GitTree, *, is_partial: bool) -> FileChange:
    """Describe a file of a diff, with ids and modes from the two trees."""
    old = base.entry(decode_path(file.old_name)) if file.old_name is not None else None
    new = head.entry(decode_path(file.new_name)) if file.new_name is not None else None
    if is_opaque(file) and new == old:
        # The new content is unknown, so the tree keeps the old one.
        new = None
    known = replace(
        file,
        old_mode=old.mode if old else file.old_mode,
        new_mode=new.mode if new else file.new_mode,
        old_blob=old.blob if old else file.old_blob,
        new_blob=new.blob if new else file.new_blob,
    )
    return known.to_record(detect_language(file, base, head), is_partial=is_partial)


RECENT_COMMITS = 30
MAX_PATHS = 100


@dataclass(frozen=True)
class PlacedDiff:
    """The commit that a diff was made from, and the tree after the diff."""

    base: GitTree
    head_tree: str
    unknown: tuple[FileDiff, ...]
    """Binary files and submodules whose new content is not in the diff and not in the repository."""


def place_diff(store: ObjectStore, files: Sequence[FileDiff]) -> PlacedDiff | None:
    """Try HEAD, then the states before recent commits to the same files; None if it fits none exactly."""
    for commit in _candidates(store, files):
        base = tree = commit_tree(store, commit)
        unknown: list[FileDiff] = []
        for patch in _patches(files):
            changes, failed = apply_exactly(store, tree, patch)
            unknown += failed
            if not all(map(is_opaque, failed)):
                break
            tree = write_tree(store, tree, changes)
        else:
            return PlacedDiff(base, tree.revision, tuple(unknown))
    return None


def _patches(files: Sequence[FileDiff]) -> Iterator[list[FileDiff]]:
    """Split a series, as `git format-patch` writes it: within a patch each name is changed once."""
    patch: list[FileDiff] = []
    seen: set[tuple[str, bytes]] = set()
    for file in files:
        old = None if file.status is FileStatus.COPIED else file.old_name
        names = {(side, name) for side, name in (("base", old), ("head", file.new_name)) if name is not None}
        if patch and (file.follows_text or names & seen):
            yield patch
            patch, seen = [], set()
        patch.append(file)
        seen |= names
    yield patch


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
