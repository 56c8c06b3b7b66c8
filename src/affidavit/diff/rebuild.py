"""From the record of a change to the same pair of trees, so that its proofs can be checked again."""

from collections.abc import Sequence
from pathlib import Path

from affidavit.diff.hunks import from_record
from affidavit.diff.names import is_acceptable
from affidavit.diff.parse import FileDiff, OpenedChange
from affidavit.diff.patched_tree import Content, PatchedTree, shown_tree
from affidavit.errors import InputError, NotARepositoryError, UnknownRevisionError
from affidavit.git.confined.boundaries import Allowed
from affidavit.git.confined.location import NOTHING_MORE, find_repository
from affidavit.git.objects import OBJECT_ID, ObjectStore
from affidavit.git.repository import GitRepository
from affidavit.git.tree import SUBMODULE_MODE, GitTree
from affidavit.records.change import Change, FileChange, FileStatus, Revision
from affidavit.records.record import Side

SIDES: tuple[Side, Side] = ("base", "head")


def rebuild_change(change: Change, repo: Path | None, allowed: Allowed = NOTHING_MORE) -> OpenedChange:
    """Open the trees of a recorded change again: its commits where they exist, else base plus its hunks.

    A file that does not come out as it was recorded is left out at head, and a notice names it.
    """
    try:
        location = find_repository(repo, allowed)
    except NotARepositoryError:
        if repo is not None or change.source != "diff":
            raise
        location = None
    store = ObjectStore(location)
    try:
        return _rebuilt(change, store)
    except BaseException:
        store.close()
        raise


def _rebuilt(change: Change, store: ObjectStore) -> OpenedChange:
    base, tip = _known_tree(store, change.base), _tip(store, change)
    if base is None:
        return _from_hunks_alone(change, store)
    head = _known_tree(store, change.head)
    if head is not None:
        return OpenedChange(change, GitRepository(store, base, head, tip))
    patched, notices = _patched(store, base, change.files)
    tree = patched.write()
    if tree != change.head.tree and not notices:
        notices = ["the tree at head is not the one that was recorded"]
    commit = store.write_commit(tree, base.commit)
    head = GitTree(store, tree, commit, is_committed=False)
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
    is_its_tree = store.git.line("rev-parse", f"{commit}^{{tree}}") == revision.tree
    return GitTree(store, revision.tree, commit if is_its_tree else None)


def _from_hunks_alone(change: Change, store: ObjectStore) -> OpenedChange:
    if change.source != "diff":
        named = change.base.commit or change.base.tree
        raise UnknownRevisionError(
            f"the base of the recorded change ({named[:12]}) is not in this repository: "
            "name the right one with --repo, or fetch the commit"
        )
    files = [_as_diff(file, None) for file in change.files]
    base, head = (GitTree(store, shown_tree(store, files, side)) for side in SIDES)
    notices = tuple(
        f"the tree at {side} is not the one that was recorded"
        for side, tree, recorded in (("base", base, change.base), ("head", head, change.head))
        if tree.revision != recorded.tree
    )
    return OpenedChange(change, GitRepository(store, base, head), notices)


def _patched(store: ObjectStore, base: GitTree, files: Sequence[FileChange]) -> tuple[PatchedTree, list[str]]:
    patched = PatchedTree(store, base)
    notices = []
    for file in files:
        diff = _as_diff(file, base)
        applied = _applied(store, patched, file, diff)
        if not applied:
            if diff.new_name is not None:
                patched.put(diff.new_name, None)
            notices.append(f"{file.path} could not be rebuilt from the report: it is absent at head")
    return patched, notices


def _applied(store: ObjectStore, patched: PatchedTree, file: FileChange, diff: FileDiff) -> bool:
    if file.is_submodule and file.new_mode == SUBMODULE_MODE and diff.new_name and file.new_blob:
        patched.put(diff.new_name, Content(SUBMODULE_MODE, None, file.new_blob))
        return True
    if file.is_binary and file.new_blob is None:
        # It was unknown when the change was recorded, too.
        return True
    if not patched.apply(diff):
        return False
    if diff.new_name is None:
        return True
    content = patched.content(diff.new_name)
    if content is None or content.data is None:
        return content is not None
    return store.write_blobs([content.data])[0] == file.new_blob


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
