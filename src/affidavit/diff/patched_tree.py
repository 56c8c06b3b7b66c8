"""From a tree and the files of a diff to the tree after it; or from the diff alone to what it shows."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

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


@dataclass(frozen=True)
class Content:
    """A file of the tree that is being made; `data` is None where only its id is known."""

    mode: str
    data: bytes | None
    blob: str | None = None


@dataclass
class _Patch:
    """One of the patches that are applied one after the other: what it was made from, and its files."""

    before: dict[bytes, Content | None] = field(default_factory=dict)
    old_names: set[bytes] = field(default_factory=set)
    new_names: set[bytes] = field(default_factory=set)

    def has_names_of(self, file: FileDiff) -> bool:
        """A patch takes a file away once and makes one once; only copies may share what they come from."""
        is_taken = file.status is not FileStatus.COPIED and file.old_name in self.old_names
        return is_taken or file.new_name in self.new_names

    def add(self, file: FileDiff) -> None:
        """Note the names that the file stands for."""
        if file.old_name is not None and file.status is not FileStatus.COPIED:
            self.old_names.add(file.old_name)
        if file.new_name is not None:
            self.new_names.add(file.new_name)


class PatchedTree:
    """A tree on which diffs are applied one after the other, exactly or not at all."""

    def __init__(self, store: ObjectStore, base: GitTree) -> None:
        self._store = store
        self._base = base
        self._entries: dict[bytes, Entry] = {entry.raw_path: entry for entry in base.entries().values()}
        self._changed: dict[bytes, Content | None] = {}
        self._patch = _Patch()

    def apply(self, file: FileDiff) -> bool:
        """Apply one file's diff; False where the tree does not hold exactly what it was made from."""
        if file.follows_text or self._patch.has_names_of(file):
            self._patch = _Patch(dict(self._changed))
        new = self._after(file)
        if new is None and file.status is not FileStatus.DELETED:
            return False
        if file.status is FileStatus.DELETED and not self._can_delete(file):
            return False
        is_gone = file.status in (FileStatus.DELETED, FileStatus.RENAMED)
        if file.old_name and is_gone and file.old_name not in self._patch.new_names:
            self._changed[file.old_name] = None
        self._patch.add(file)
        if file.new_name and new is not None:
            self._changed[file.new_name] = new
        return True

    def put(self, name: bytes, content: Content | None) -> None:
        """Set one file, or remove it."""
        self._changed[name] = content

    def content(self, name: bytes) -> Content | None:
        """A file as it stands after the diffs applied so far."""
        return self._content(name, self._changed)

    def _content(self, name: bytes, changed: Mapping[bytes, Content | None]) -> Content | None:
        if name in changed:
            return changed[name]
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
        old = self._source(file.old_name) if file.old_name is not None else Content(REGULAR_MODE, b"")
        if old is None or (file.old_name is None and self.content(file.new_name) is not None):
            return None
        mode = file.new_mode or old.mode
        if file.is_binary:
            return self._known_blob(file, mode)
        if not file.hunks and file.old_name is not None:
            return Content(mode, old.data, old.blob)
        data = apply_hunks(old.data, file.hunks) if old.data is not None else None
        return None if data is None else Content(mode, data)

    def _source(self, name: bytes) -> Content | None:
        """What a file of the patch was made from: all of them were made from the same tree."""
        return self._content(name, self._patch.before) or self.content(name)

    def _known_blob(self, file: FileDiff, mode: str) -> Content | None:
        if file.new_blob is None or self._store.kind(file.new_blob) != "blob":
            return None
        return Content(mode, self._store.read(file.new_blob), file.new_blob)

    def _can_delete(self, file: FileDiff) -> bool:
        old = self._source(file.old_name or b"")
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
    present = _present(files, side)
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


def _present(files: Sequence[FileDiff], side: Side) -> list[tuple[bytes, FileDiff]]:
    """The files of a side by their names there."""
    own: list[tuple[bytes, FileDiff]] = []
    copied: dict[bytes, FileDiff] = {}
    for file in files:
        name = file.old_name if side == "base" else file.new_name
        if name is None:
            continue
        if side == "base" and file.status is FileStatus.COPIED:
            copied.setdefault(name, file)
        else:
            own.append((name, file))
    _refuse_repeated([name for name, _ in own])
    # What was copied may have a change of its own, or several copies: at base it stood only once.
    return list({**copied, **dict(own)}.items())


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
    """A file of a diff as the diff describes it, with ids and modes from the two trees."""
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


RECENT_COMMITS = 30
MAX_PATHS = 100


@dataclass(frozen=True)
class PlacedDiff:
    """The commit that holds what a diff was made from, and the tree after the diff."""

    base: GitTree
    head_tree: str
    unknown: tuple[FileDiff, ...]
    """Binary files and submodules whose new content is not in the diff and not in the repository."""


def place_diff(store: ObjectStore, files: Sequence[FileDiff]) -> PlacedDiff | None:
    """Try HEAD, then the states before recent commits to the same files; None where none fits exactly."""
    for commit in _candidates(store, files):
        base = commit_tree(store, commit)
        tree = PatchedTree(store, base)
        failed = [file for file in files if not tree.apply(file)]
        if all(is_opaque(file) for file in failed):
            return PlacedDiff(base, tree.write(), tuple(failed))
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
