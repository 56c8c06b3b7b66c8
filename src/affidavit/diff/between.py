"""From two trees to the files that differ, with their hunks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from affidavit.diff.hunks import RawHunk
from affidavit.diff.parse import FileDiff, parse_diff
from affidavit.errors import GitError
from affidavit.git.objects import ObjectStore
from affidavit.git.text import SHEBANG, decode_path, has_source_name, has_zero_byte
from affidavit.git.tree import MAX_TEXT_BYTES, REGULAR_MODES, SUBMODULE_MODE, GitTree
from affidavit.languages.registry import language_of
from affidavit.records.change import FileChange, FileStatus

DIFF_OPTIONS = (
    "-r",
    "-M",
    "-C",
    "--full-index",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--ignore-submodules=none",
    "--submodule=short",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "-U3",
)
TEXT_OPTIONS = ("--text", "--no-color", "--no-ext-diff", "--no-textconv", "--full-index", "-U3")
STATUS_OF_LETTER = {
    "A": FileStatus.ADDED,
    "D": FileStatus.DELETED,
    "M": FileStatus.MODIFIED,
    "T": FileStatus.MODIFIED,
    "R": FileStatus.RENAMED,
    "C": FileStatus.COPIED,
}


@dataclass(frozen=True)
class RawChange:
    """One entry of `diff-tree --raw`: what happened to a file."""

    old_mode: str | None
    new_mode: str | None
    old_blob: str | None
    new_blob: str | None
    status: FileStatus
    similarity: int | None
    old_name: bytes
    new_name: bytes


def files_between(store: ObjectStore, base: GitTree, head: GitTree) -> tuple[FileChange, ...]:
    """Every file that differs. The raw listing is the authority; the patch only adds the hunks."""
    command = ("diff-tree", *DIFF_OPTIONS)
    raw = parse_raw(store.git.run(*command, "--raw", "-z", base.revision, head.revision))
    if not raw:
        return ()
    blobs = {blob for one in raw for blob in (one.old_blob, one.new_blob) if blob}
    store.check(sorted(blobs))
    patch = store.git.run(*command, "-p", base.revision, head.revision)
    blocks = join_type_changes(parse_diff(patch))
    if len(blocks) != len(raw):
        raise GitError(f"git lists {len(raw)} changed files but shows {len(blocks)}")
    shown = [_as_text(store, entry, block) for entry, block in zip(raw, blocks, strict=True)]
    return tuple(_file_change(entry, block, base, head) for entry, block in zip(raw, shown, strict=True))


def _as_text(store: ObjectStore, raw: RawChange, block: FileDiff) -> FileDiff:
    """Show the change line by line where git calls binary what an interpreter would run as text."""
    if not block.is_binary or not _is_text(store, raw):
        return block
    return replace(block, is_binary=False, hunks=_hunks_of(store, raw))


def _hunks_of(store: ObjectStore, raw: RawChange) -> list[RawHunk]:
    (empty,) = store.write_blobs([b""])
    patch = store.git.run("diff", *TEXT_OPTIONS, raw.old_blob or empty, raw.new_blob or empty)
    return parse_diff(patch)[0].hunks if patch else []


def _is_text(store: ObjectStore, raw: RawChange) -> bool:
    modes = {mode for mode in (raw.old_mode, raw.new_mode) if mode is not None}
    sizes = [store.size(blob) or 0 for blob in (raw.old_blob, raw.new_blob) if blob]
    if not modes <= REGULAR_MODES or max(sizes, default=0) > MAX_TEXT_BYTES:
        return False
    if has_source_name(decode_path(raw.new_name)):
        return True
    before = store.read(raw.old_blob) if raw.old_blob else None
    after = store.read(raw.new_blob) if raw.new_blob else None
    names_its_interpreter = after is not None and after.startswith(SHEBANG)
    return names_its_interpreter or (before is not None and not has_zero_byte(before))


def parse_raw(data: bytes) -> list[RawChange]:
    fields = data.split(b"\0")
    found = []
    at = 0
    while at < len(fields) and fields[at]:
        old_mode, new_mode, old_blob, new_blob, status = fields[at].decode().removeprefix(":").split(" ")
        is_move = status[0] in "RC"
        found.append(
            RawChange(
                _present(old_mode),
                _present(new_mode),
                _present(old_blob),
                _present(new_blob),
                STATUS_OF_LETTER[status[0]],
                int(status[1:]) if is_move else None,
                fields[at + 1],
                fields[at + 2] if is_move else fields[at + 1],
            )
        )
        at += 3 if is_move else 2
    return found


def _present(field: str) -> str | None:
    return field if field.strip("0") else None


def join_type_changes(files: Sequence[FileDiff]) -> list[FileDiff]:
    """Git shows a file that becomes a link as a deletion and an addition: make one change of each pair."""
    joined: list[FileDiff] = []
    for file in files:
        before = joined[-1] if joined else None
        if (
            before is not None
            and before.status is FileStatus.DELETED
            and file.status is FileStatus.ADDED
            and before.old_name == file.new_name
        ):
            joined[-1] = _joined(before, file)
        else:
            joined.append(file)
    return joined


def _joined(deleted: FileDiff, added: FileDiff) -> FileDiff:
    return replace(
        added,
        status=FileStatus.MODIFIED,
        old_name=deleted.old_name,
        old_mode=deleted.old_mode,
        old_blob=deleted.old_blob,
        is_binary=deleted.is_binary or added.is_binary,
        hunks=_joined_hunk(deleted.hunks, added.hunks),
    )


def _joined_hunk(deleted: list[RawHunk], added: list[RawHunk]) -> list[RawHunk]:
    if not deleted or not added:
        return [*deleted, *added]
    old, new = deleted[0], added[0]
    return [
        replace(
            old,
            new_start=new.new_start,
            new_count=new.new_count,
            lines=(*old.lines, *new.lines),
            new_lacks_newline=new.new_lacks_newline,
        )
    ]


def _file_change(raw: RawChange, block: FileDiff, base: GitTree, head: GitTree) -> FileChange:
    if block.name != raw.new_name:
        shown, listed = decode_path(block.name), decode_path(raw.new_name)
        raise GitError(f"git lists the change of {listed!r} but shows that of {shown!r}")
    path = decode_path(raw.new_name)
    is_move = raw.status in (FileStatus.RENAMED, FileStatus.COPIED)
    return FileChange(
        path=path,
        old_path=decode_path(raw.old_name) if is_move else None,
        status=raw.status,
        old_mode=raw.old_mode,
        new_mode=raw.new_mode,
        old_blob=raw.old_blob,
        new_blob=raw.new_blob,
        similarity=raw.similarity,
        is_binary=block.is_binary,
        is_submodule=SUBMODULE_MODE in (raw.old_mode, raw.new_mode),
        language=detect_language(base if raw.status is FileStatus.DELETED else head, path),
        hunks=tuple(hunk.to_record() for hunk in block.hunks),
    )


def detect_language(tree: GitTree, path: str) -> str:
    """The language of a file of the tree; its content is read only where its name says nothing."""
    by_name = language_of(path)
    if by_name:
        return by_name
    lines = tree.lines(path)
    return language_of(path, lines[0]) if lines else ""
