"""From a tree and the files of a diff to the tree after it; or from the diff alone to what it shows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from affidavit.code.changes import detect_language
from affidavit.code.diff import SUBMODULE_MODE, FileDiff
from affidavit.code.objects import ObjectStore
from affidavit.code.patch import apply_hunks, lay_out
from affidavit.code.paths import decode_path
from affidavit.code.tree import MAX_READ_BYTES, GitTree
from affidavit.errors import InputError
from affidavit.ports import Entry
from affidavit.records.change import FileChange, FileStatus
from affidavit.records.record import Side

REGULAR_MODE = "100644"
MAX_LAID_OUT_BYTES = 200_000_000
_SUBPROJECT = re.compile(rb"[+ ]Subproject commit ([0-9a-f]{40}(?:[0-9a-f]{24})?)")


@dataclass(frozen=True)
class Content:
    """A file of the tree that is being made; `data` is None where only its id is known."""

    mode: str
    data: bytes | None
    blob: str | None = None


class PatchedTree:
    """A tree on which diffs are applied one after the other, exactly or not at all."""

    def __init__(self, store: ObjectStore, base: GitTree) -> None:
        self._store = store
        self._base = base
        self._entries: dict[bytes, Entry] = {entry.raw_path: entry for entry in base.entries().values()}
        self._changed: dict[bytes, Content | None] = {}

    def apply(self, file: FileDiff) -> bool:
        """Apply one file's diff; False where the tree does not hold exactly what it was made from."""
        new = self._after(file)
        if new is None and file.status is not FileStatus.DELETED:
            return False
        if file.status is FileStatus.DELETED and not self._can_delete(file):
            return False
        if file.old_name and file.status in (FileStatus.DELETED, FileStatus.RENAMED):
            self._changed[file.old_name] = None
        if file.new_name and new is not None:
            self._changed[file.new_name] = new
        return True

    def put(self, name: bytes, content: Content | None) -> None:
        """Set one file, or remove it."""
        self._changed[name] = content

    def content(self, name: bytes) -> Content | None:
        """A file as it stands after the diffs applied so far."""
        if name in self._changed:
            return self._changed[name]
        entry = self._entries.get(name)
        if entry is None:
            return None
        if entry.mode == SUBMODULE_MODE or (self._store.size(entry.blob) or 0) > MAX_READ_BYTES:
            return Content(entry.mode, None, entry.blob)
        return Content(entry.mode, self._store.read(entry.blob), entry.blob)

    def write(self) -> str:
        """The id of the tree, written into the temporary objects."""
        self._refuse_files_as_folders()
        unwritten = {name: new for name, new in self._changed.items() if new is not None and new.blob is None}
        blobs = self._store.write_blobs([new.data or b"" for new in unwritten.values()])
        ids = dict(zip(unwritten, blobs, strict=True))
        return self._store.write_tree(
            self._base.revision,
            {
                name: None if new is None else (new.mode, new.blob or ids[name])
                for name, new in self._changed.items()
            },
        )

    def _refuse_files_as_folders(self) -> None:
        # Git would make room for the one and drop the other without a word.
        names = {name for name, new in self._changed.items() if new is not None}
        names |= self._entries.keys() - self._changed.keys()
        for name in names:
            end = name.rfind(b"/")
            while end > 0:
                if name[:end] in names:
                    raise InputError(f"{decode_path(name[:end])} cannot be both a file and a folder")
                end = name.rfind(b"/", 0, end)

    def _after(self, file: FileDiff) -> Content | None:
        if file.new_name is None:
            return None
        if file.is_submodule and (file.new_mode or SUBMODULE_MODE) == SUBMODULE_MODE:
            commit = _subproject(file)
            return Content(SUBMODULE_MODE, None, commit) if commit else None
        old = self.content(file.old_name) if file.old_name is not None else Content(REGULAR_MODE, b"")
        if old is None or (file.old_name is None and self.content(file.new_name) is not None):
            return None
        mode = file.new_mode or old.mode
        if file.is_binary:
            return self._known_blob(file, mode)
        if not file.hunks and file.old_name is not None:
            return Content(mode, old.data, old.blob)
        data = apply_hunks(old.data, file.hunks) if old.data is not None else None
        return None if data is None else Content(mode, data)

    def _known_blob(self, file: FileDiff, mode: str) -> Content | None:
        if file.new_blob is None or self._store.kind(file.new_blob) != "blob":
            return None
        return Content(mode, self._store.read(file.new_blob), file.new_blob)

    def _can_delete(self, file: FileDiff) -> bool:
        old = self.content(file.old_name or b"")
        if old is None or not file.hunks or old.mode == SUBMODULE_MODE or file.is_binary:
            return old is not None
        return old.data is not None and apply_hunks(old.data, file.hunks) == b""


def _subproject(file: FileDiff) -> str | None:
    for hunk in file.hunks:
        for line in hunk.lines:
            match = _SUBPROJECT.fullmatch(line)
            if match:
                return match.group(1).decode()
    return file.new_blob


def keeps_numbers(file: FileDiff) -> bool:
    """The hunks' new line numbers follow from the old ones, as in a whole and unedited diff."""
    shift = 0
    for hunk in file.hunks:
        if _first(hunk.new_start, hunk.new_count) - _first(hunk.old_start, hunk.old_count) != shift:
            return False
        shift += hunk.new_count - hunk.old_count
    return True


def _first(start: int, count: int) -> int:
    return start if count else start + 1


def is_opaque(file: FileDiff) -> bool:
    """What the file becomes is not in the diff itself."""
    return file.is_binary or file.is_submodule


def is_wholly_shown(file: FileDiff) -> bool:
    """The hunks show every line that the file has on either side."""
    return file.status in (FileStatus.ADDED, FileStatus.DELETED) and not file.is_binary


def shown_tree(store: ObjectStore, files: Sequence[FileDiff], side: Side) -> str:
    """The part of a tree that a diff shows. Lines it does not show are empty."""
    names = [file.old_name if side == "base" else file.new_name for file in files]
    present = [(name, file) for name, file in zip(names, files, strict=True) if name is not None]
    _refuse_repeated([name for name, _ in present])
    empty = GitTree(store, store.empty_tree())
    tree = PatchedTree(store, empty)
    total = 0
    for name, file in present:
        mode = (file.old_mode if side == "base" else file.new_mode) or REGULAR_MODE
        if mode == SUBMODULE_MODE or file.is_binary:
            continue
        data = lay_out(file.hunks, side)
        total += len(data)
        if total > MAX_LAID_OUT_BYTES:
            raise InputError("the diff is too large to lay out without its repository")
        tree.put(name, Content(mode, data))
    return tree.write()


def _refuse_repeated(names: Sequence[bytes]) -> None:
    seen: set[bytes] = set()
    for name in names:
        if name in seen:
            raise InputError(
                f"{decode_path(name)} is changed more than once in this diff: "
                "a series of patches can be reviewed only inside its repository"
            )
        seen.add(name)


def described(file: FileDiff, base: GitTree, head: GitTree, *, is_partial: bool) -> FileChange:
    """A file of a diff as the diff tells it, with ids and modes from the two trees."""
    path = decode_path(file.name)
    is_move = file.status in (FileStatus.RENAMED, FileStatus.COPIED)
    old = base.entry(decode_path(file.old_name)) if file.old_name is not None else None
    new = head.entry(decode_path(file.new_name)) if file.new_name is not None else None
    if is_opaque(file) and new == old:
        # What the file becomes is unknown, so the tree still has what it was.
        new = None
    return FileChange(
        path=path,
        old_path=decode_path(file.old_name or b"") if is_move else None,
        status=file.status,
        old_mode=old.mode if old else file.old_mode,
        new_mode=new.mode if new else file.new_mode,
        old_blob=old.blob if old else file.old_blob,
        new_blob=new.blob if new else file.new_blob,
        similarity=file.similarity,
        is_binary=file.is_binary,
        is_submodule=file.is_submodule,
        is_partial=is_partial,
        language=detect_language(base if file.status is FileStatus.DELETED else head, path),
        hunks=tuple(hunk.to_record() for hunk in file.hunks),
    )
