"""Apply a patch to the head of a pair of trees, without a checkout."""

from collections.abc import Mapping

from affidavit.errors import InputError
from affidavit.git.repository import GitRepository
from affidavit.git.text import is_safe_path
from affidavit.git.tree import REGULAR_MODES, GitTree
from affidavit.ports import Entry

MAX_PATCH_BYTES = 500_000
PLAIN_MODE = "100644"
Contents = Mapping[str, bytes | None]


def apply_patch(repository: GitRepository, patch: str) -> Contents:
    """Return the new content of each file that the patch changes, None for one that it removes."""
    data = (patch if patch.endswith("\n") else f"{patch}\n").encode()
    if len(data) > MAX_PATCH_BYTES:
        raise InputError(f"the patch has more than {MAX_PATCH_BYTES} bytes")
    store, head = repository.store, repository.head
    patched = GitTree(store, store.apply_patch(head.revision, data))
    old, new = head.entries(), patched.entries()
    changed = [path for path in {**old, **new} if old.get(path) != new.get(path)]
    if not changed:
        raise InputError("the patch changes no content")
    for path in changed:
        _refuse_other_kinds(path, old.get(path), new.get(path))
    return {path: patched.read(path) for path in changed}


def patched_repository(repository: GitRepository, contents: Contents) -> GitRepository:
    """Open head, and head with the patch, as the two sides of a change; closed with `repository`.

    Configuration is read as the change's target or base has it: a change must not excuse its own patches.
    """
    store, head = repository.store, repository.head
    kept = {path: content for path, content in contents.items() if content is not None}
    blobs = dict(zip(kept, store.write_blobs(list(kept.values())), strict=True))
    changes = {
        _raw(head, path): (_mode(head, path), blobs[path]) if path in blobs else None for path in contents
    }
    patched = GitTree(store, store.write_tree(head.revision, changes))
    return GitRepository(store, head, patched, repository.tip or repository.base)


def _refuse_other_kinds(path: str, old: Entry | None, new: Entry | None) -> None:
    """Refuse a change of anything but the content of regular files in the repository."""
    if not is_safe_path(path):
        raise InputError(f"the patch touches {path!r}, which is not a file of the repository")
    if old and old.mode not in REGULAR_MODES:
        raise InputError(f"the patch touches {path!r}, which is not a regular file")
    if new and new.mode not in REGULAR_MODES:
        raise InputError(f"the patch makes {path!r} a link or a folder: only regular files are patched")
    if new and new.mode != (old.mode if old else PLAIN_MODE):
        raise InputError(f"the patch changes the mode of {path!r}: only contents are patched")


def _raw(head: GitTree, path: str) -> bytes:
    entry = head.entry(path)
    return entry.raw_path if entry else path.encode()


def _mode(head: GitTree, path: str) -> str:
    entry = head.entry(path)
    return entry.mode if entry else PLAIN_MODE
