"""Find the files that differ between two trees, with their hunks."""

from collections.abc import Sequence
from dataclasses import replace

from affidavit.diff.hunks import RawHunk
from affidavit.diff.names import unquoted
from affidavit.diff.parse import FileDiff, parse_diff
from affidavit.errors import GitError
from affidavit.git.objects import ObjectStore
from affidavit.git.text import SHEBANG, decode_path, has_source_name, has_zero_byte
from affidavit.git.tree import MAX_TEXT_BYTES, REGULAR_MODES, GitTree
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


def files_between(store: ObjectStore, base: GitTree, head: GitTree) -> tuple[FileChange, ...]:
    """Return every file that differs. The raw listing names the files; the patch adds the hunks."""
    shown = store.git.run("diff-tree", *DIFF_OPTIONS, "--raw", "-p", base.revision, head.revision)
    raw, _, patch = shown.partition(b"\n\n")
    files = [_listed(line) for line in raw.split(b"\n") if line]
    if not files:
        return ()
    blobs = {blob for one in files for blob in (one.old_blob, one.new_blob) if blob}
    store.check(sorted(blobs))
    blocks = join_type_changes(parse_diff(patch))
    if [one.name for one in blocks] != [one.name for one in files]:
        raise GitError("git's list of changed files differs from its patch")
    for file, block in zip(files, blocks, strict=True):
        # Git calls some files binary that an interpreter runs as text.
        file.is_binary = block.is_binary and not _is_text(store, file)
        file.hunks = _text_hunks(store, file) if block.is_binary and not file.is_binary else block.hunks
    return tuple(file.to_record(detect_language(file, base, head)) for file in files)


def _text_hunks(store: ObjectStore, file: FileDiff) -> list[RawHunk]:
    (empty,) = store.write_blobs([b""])
    patch = store.git.run("diff", *TEXT_OPTIONS, file.old_blob or empty, file.new_blob or empty)
    return parse_diff(patch)[0].hunks if patch else []


def _is_text(store: ObjectStore, file: FileDiff) -> bool:
    modes = {mode for mode in (file.old_mode, file.new_mode) if mode is not None}
    sizes = [store.size(blob) or 0 for blob in (file.old_blob, file.new_blob) if blob]
    if not modes <= REGULAR_MODES or max(sizes, default=0) > MAX_TEXT_BYTES:
        return False
    if has_source_name(decode_path(file.name)):
        return True
    before = store.read(file.old_blob) if file.old_blob else None
    after = store.read(file.new_blob) if file.new_blob else None
    names_its_interpreter = after is not None and after.startswith(SHEBANG)
    return names_its_interpreter or (before is not None and not has_zero_byte(before))


def _listed(line: bytes) -> FileDiff:
    """Read a line of `diff-tree --raw`."""
    about, *names = line.split(b"\t")
    old_mode, new_mode, old_blob, new_blob, letter = about.decode().removeprefix(":").split(" ")
    status = STATUS_OF_LETTER[letter[0]]
    return FileDiff(
        line_number=0,
        old_name=None if status is FileStatus.ADDED else unquoted(names[0]),
        new_name=None if status is FileStatus.DELETED else unquoted(names[-1]),
        status=status,
        old_mode=_present(old_mode),
        new_mode=_present(new_mode),
        old_blob=_present(old_blob),
        new_blob=_present(new_blob),
        similarity=int(letter[1:]) if letter[0] in "RC" else None,
    )


def _present(field: str) -> str | None:
    return field if field.strip("0") else None


def join_type_changes(files: Sequence[FileDiff]) -> list[FileDiff]:
    """Join the deletion and the addition that git shows for a file that becomes a link."""
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


def detect_language(file: FileDiff, base: GitTree, head: GitTree) -> str:
    """Return the language of a file; its content is read only if its name does not tell."""
    path = decode_path(file.name)
    by_name = language_of(path)
    if by_name:
        return by_name
    lines = (base if file.status is FileStatus.DELETED else head).lines(path)
    return language_of(path, lines[0]) if lines else ""
