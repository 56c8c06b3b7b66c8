"""From the names of a diff to those of a tree that end alike: of `diff -ruN old new`, or of a subfolder."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from affidavit.diff.parse import FileDiff
from affidavit.git.tree import GitTree
from affidavit.records.change import FileStatus

MAX_PLACES = 20


def renamed_by_suffix(files: Sequence[FileDiff], tree: GitTree) -> Iterator[list[FileDiff]]:
    """The files under names that the tree may know: the same folders taken off, the same one put before.

    Nothing is decided here: whether a name is the right one is known when the hunks fit.
    """
    known = next((file for file in files if file.old_name and file.new_name), None)
    known = known or next((file for file in files if file.old_name), None)
    if known is None:
        return
    places = {entry.raw_path for entry in tree.entries().values()}
    tried = 0
    for cut_old, cut_new, rest in _cuts(known):
        for place in sorted((one for one in places if _ends_with(one, rest)), key=len):
            renamed = _renamed(files, cut_old, cut_new, place[: len(place) - len(rest)])
            if renamed is not None and tried < MAX_PLACES:
                tried += 1
                yield renamed


def _cuts(known: FileDiff) -> Iterator[tuple[int, int, bytes]]:
    """How many folders to take off the old names and the new ones, fewest first, and what is then left."""
    old = (known.old_name or b"").split(b"/")
    new = (known.new_name or known.old_name or b"").split(b"/")
    shared = 0
    while shared < min(len(old), len(new)) and old[-1 - shared] == new[-1 - shared]:
        shared += 1
    for kept in range(shared, 0, -1):
        yield len(old) - kept, len(new) - kept, b"/".join(old[-kept:])


def _ends_with(place: bytes, rest: bytes) -> bool:
    return place == rest or place.endswith(b"/" + rest)


def _renamed(files: Sequence[FileDiff], cut_old: int, cut_new: int, before: bytes) -> list[FileDiff] | None:
    """The files under their new names; None where one has no such folders."""
    renamed = []
    for file in files:
        old, new = _moved(file.old_name, cut_old, before), _moved(file.new_name, cut_new, before)
        if (old is None) != (file.old_name is None) or (new is None) != (file.new_name is None):
            return None
        is_same = file.status is FileStatus.RENAMED and old == new
        status = FileStatus.MODIFIED if is_same else file.status
        renamed.append(replace(file, old_name=old, new_name=new, status=status))
    return renamed


def _moved(name: bytes | None, cut: int, before: bytes) -> bytes | None:
    parts = name.split(b"/") if name is not None else []
    return before + b"/".join(parts[cut:]) if len(parts) > cut else None
