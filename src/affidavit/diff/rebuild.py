"""Open the trees of a recorded change again, and compare them with the record."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from affidavit.diff.hunks import from_record
from affidavit.diff.names import is_acceptable
from affidavit.diff.parse import FileDiff
from affidavit.diff.patched_tree import Entries, apply_exactly, shown_tree, write_tree
from affidavit.errors import InputError, NotARepositoryError, UnknownRevisionError
from affidavit.git.location import NOTHING_MORE, Allowed, find_repository
from affidavit.git.objects import OBJECT_ID, ObjectStore
from affidavit.git.repository import GitRepository
from affidavit.git.revisions import first_parent
from affidavit.git.tree import GitTree
from affidavit.records.change import Change, FileChange, FileStatus, Revision
from affidavit.records.record import Side
from affidavit.records.report import name_some
from affidavit.system.temporary import Closing

REPLACED = "\ufffd"


@dataclass(frozen=True)
class OpenedChange(Closing):
    """A change and its repository. Close it to end git's processes and delete temporary objects."""

    change: Change
    repository: GitRepository
    notices: tuple[str, ...] = ()

    def close(self) -> None:
        self.repository.close()


@dataclass(frozen=True)
class RecordMismatch:
    """A difference between the record and the trees; `is_unknown` if it cannot be compared here."""

    detail: str
    is_unknown: bool = False


def compare_record(change: Change, repository: GitRepository) -> list[RecordMismatch]:
    """Return every difference between the record and the trees that were opened for it."""
    return [
        *_compare_revision(change, change.base, repository, "base"),
        *_compare_revision(change, change.head, repository, "head"),
        *_compare_base(change, repository),
        *_compare_tip(change, repository),
        *(difference for file in change.files for difference in _compare_file(file, change, repository)),
        *_unlisted(change, repository),
    ]


def _compare_revision(
    change: Change, recorded: Revision, repository: GitRepository, side: Side
) -> Iterator[RecordMismatch]:
    tree = repository.side(side)
    if tree.revision != recorded.tree:
        is_unknown = any(_is_lossy(file) for file in change.files)
        yield RecordMismatch(f"the tree at {side} is not the one that was recorded", is_unknown)
    if recorded.commit is None or repository.store.location is None:
        return
    store = repository.store
    if not _is_commit(store, recorded.commit):
        yield RecordMismatch(
            f"commit {recorded.commit[:12]} of {side} is not in this repository", is_unknown=True
        )
    elif store.tree_of(recorded.commit) != recorded.tree:
        yield RecordMismatch(
            f"commit {recorded.commit[:12]} does not have the tree that was recorded for {side}"
        )


def _is_commit(store: ObjectStore, name: str) -> bool:
    return bool(OBJECT_ID.fullmatch(name)) and store.kind(name) == "commit"


def _compare_base(change: Change, repository: GitRepository) -> Iterator[RecordMismatch]:
    """Compare the base: another one could hide what the change adds."""
    store, base, head = repository.store, change.base, change.head.commit
    if change.source == "diff" or store.location is None:
        return
    if change.source == "commit" and head and _is_commit(store, head):
        try:
            parent = first_parent(store, store.location, head)
        except UnknownRevisionError as error:
            yield RecordMismatch(str(error), is_unknown=True)
            return
        if base.commit != parent:
            yield RecordMismatch(f"the base of commit {head[:12]} is not its first parent")
    is_empty = base.tree == store.empty_tree()
    if base.commit is None and (change.source == "range" or not is_empty):
        yield RecordMismatch(f"it is called a {change.source}, but names no commit at base")


def _compare_tip(change: Change, repository: GitRepository) -> Iterator[RecordMismatch]:
    """Compare the tip of the target: another one could have other settings."""
    store, tip, base, head = repository.store, change.tip, change.base.commit, change.head.commit
    if tip is None:
        return
    if change.source != "range" or tip.commit is None or base is None or head is None:
        yield RecordMismatch("it names a target's tip, but is not a range of commits")
    elif not _is_commit(store, tip.commit) or store.tree_of(tip.commit) != tip.tree:
        yield RecordMismatch(
            f"commit {tip.commit[:12]} does not have the tree that was recorded for the target"
        )
    elif _is_commit(store, head):
        found = store.git.attempt("merge-base", "--all", tip.commit, head).stdout.decode().split()
        is_shallow = store.location is not None and store.location.is_shallow
        if base not in found:
            sides = f"the target's tip {tip.commit[:12]} and head {head[:12]}"
            yield RecordMismatch(f"base {base[:12]} is not where {sides} parted", is_shallow and not found)


def _compare_file(file: FileChange, change: Change, repository: GitRepository) -> Iterator[RecordMismatch]:
    places: tuple[tuple[Side, str | None, str | None, Revision], ...] = (
        ("base", file.base_path or file.old_path, file.old_blob, change.base),
        ("head", file.head_path, file.new_blob, change.head),
    )
    for side, path, blob, recorded in places:
        if path is None:
            continue
        tree = repository.side(side)
        # If the same tree is here, the record lost nothing; but for a binary file a
        # diff does not say even its blob.
        is_unsaid = blob is None and change.source == "diff"
        is_unknown = _is_lossy(file) and (is_unsaid or tree.revision != recorded.tree)
        entry = tree.entry(path)
        if entry is None or entry.blob != blob:
            yield RecordMismatch(f"{path} at {side} is not what was recorded", is_unknown)
        elif not _shows(file, tree, path, side):
            yield RecordMismatch(f"the recorded diff of {path} does not show what is at {side}")


def has_its_trees(change: Change, repository: GitRepository) -> bool:
    recorded = (change.base.tree, change.head.tree)
    return recorded == (repository.base.revision, repository.head.revision)


def _is_lossy(file: FileChange) -> bool:
    """Check whether the record lacks content, so that the file cannot be made from it."""
    is_opaque = file.is_binary or file.is_submodule or file.new_blob is None
    return is_opaque or any(REPLACED in line for hunk in file.hunks for line in hunk.lines)


def _shows(file: FileChange, tree: GitTree, path: str, side: Side) -> bool:
    """Check whether the hunks show what the file has on that side."""
    data = tree.read(path)
    if data is None:
        # A link or a submodule: its id was compared.
        return True
    lines = data.decode("utf-8", "replace").split("\n")
    numbered = (
        (old if side == "base" else new, text) for hunk in file.hunks for _, old, new, text in hunk.numbered()
    )
    return all(number is None or lines[number - 1 : number] == [text] for number, text in numbered)


def _identity(tree: GitTree, path: str) -> tuple[str, str] | None:
    entry = tree.entry(path)
    return None if entry is None else (entry.mode, entry.blob)


def _unlisted(change: Change, repository: GitRepository) -> Iterator[RecordMismatch]:
    base, head = repository.base, repository.head
    listed = change.changed_files
    missing = sorted(
        path
        for path in base.entries().keys() | head.entries().keys()
        if path not in listed and _identity(base, path) != _identity(head, path)
    )
    if missing:
        yield RecordMismatch(f"the change has files that are not listed: {name_some(missing, 3)}")


SIDES: tuple[Side, Side] = ("base", "head")


def rebuild_change(change: Change, repo: Path | None, allowed: Allowed = NOTHING_MORE) -> OpenedChange:
    """Open the trees of a recorded change again: its commits where they exist, else base plus its hunks."""
    try:
        location = find_repository(repo, allowed)
    except NotARepositoryError:
        if repo is not None or change.source != "diff":
            raise
        location = None
    with ObjectStore(location).closed_on_failure() as store:
        return _rebuilt(change, store)


def _rebuilt(change: Change, store: ObjectStore) -> OpenedChange:
    base, tip = _known_tree(store, change.base), _tip(store, change)
    if base is None:
        return _from_hunks_alone(change, store)
    head = _known_tree(store, change.head)
    if head is not None:
        return OpenedChange(change, GitRepository(store, base, head, tip))
    patched, notices = _patched(store, base, change.files)
    tree = write_tree(store, base, patched).revision
    if tree != change.head.tree and not notices:
        notices = ["the tree at head is not the one that was recorded"]
    head = GitTree(store, tree, partial(store.write_commit, tree, base.commit), is_committed=False)
    return OpenedChange(change, GitRepository(store, base, head, tip), tuple(notices))


def _tip(store: ObjectStore, change: Change) -> GitTree | None:
    tip = _known_tree(store, change.tip) if change.tip else None
    if change.tip and tip is None:
        named = change.tip.commit or change.tip.tree
        raise UnknownRevisionError(
            f"the target's tip ({named[:12]}) is not in this repository: fetch the branch that the change "
            "goes into, or name the right repository with --repo"
        )
    return tip


def _known_tree(store: ObjectStore, revision: Revision) -> GitTree | None:
    if not OBJECT_ID.fullmatch(revision.tree) or store.kind(revision.tree) != "tree":
        return None
    commit = revision.commit
    if commit is None or not OBJECT_ID.fullmatch(commit) or store.kind(commit) != "commit":
        return GitTree(store, revision.tree)
    is_its_tree = store.tree_of(commit) == revision.tree
    return GitTree(store, revision.tree, commit if is_its_tree else None)


def _from_hunks_alone(change: Change, store: ObjectStore) -> OpenedChange:
    if change.source != "diff":
        named = change.base.commit or change.base.tree
        raise UnknownRevisionError(
            f"the base of the recorded change ({named[:12]}) is not in this repository: "
            "name the right one with --repo, or fetch the commit"
        )
    files = [_as_diff(file, None) for file in change.files]
    base, head = (shown_tree(store, files, side) for side in SIDES)
    notices = tuple(
        f"the tree at {side} is not the one that was recorded"
        for side, tree, recorded in (("base", base, change.base), ("head", head, change.head))
        if tree.revision != recorded.tree
    )
    return OpenedChange(change, GitRepository(store, base, head), notices)


def _patched(store: ObjectStore, base: GitTree, files: Sequence[FileChange]) -> tuple[Entries, list[str]]:
    """Return what the recorded hunks make of base; a file that comes out differently is left out."""
    diffs = [_as_diff(file, base) for file in files]
    patched, _ = apply_exactly(store, base, diffs)
    notices = []
    for file, diff in zip(files, diffs, strict=True):
        name = diff.new_name
        made = patched.get(name) if name is not None else None
        # The blob was already unknown when the change was recorded.
        is_unknown = file.is_binary and file.new_blob is None
        if name is not None and not is_unknown and (made is None or made[1] != file.new_blob):
            patched[name] = None
            notices.append(f"{file.path} could not be rebuilt from the report: it is absent at head")
    return patched, notices


def _as_diff(file: FileChange, base: GitTree | None) -> FileDiff:
    old = None if file.status is FileStatus.ADDED else file.old_path or file.path
    new = file.head_path
    return FileDiff(
        line_number=1,
        old_name=_raw(old, base),
        new_name=_raw(new, base),
        status=file.status,
        old_mode=file.old_mode,
        new_mode=file.new_mode,
        old_blob=file.old_blob,
        new_blob=file.new_blob,
        is_binary=file.is_binary,
        hunks=[from_record(hunk) for hunk in file.hunks if hunk.has_changes],
    )


def _raw(path: str | None, base: GitTree | None) -> bytes | None:
    if path is None:
        return None
    entry = base.entry(path) if base else None
    raw = entry.raw_path if entry else path.encode("utf-8", "backslashreplace")
    if not is_acceptable(raw):
        raise InputError(f"the report names {path!r}, which cannot be in a repository")
    return raw
