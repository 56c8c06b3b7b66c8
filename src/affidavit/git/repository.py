"""A pair of git trees, with the objects behind them."""

from pathlib import Path

from affidavit.git.confined.location import find_repository
from affidavit.git.objects import ObjectStore
from affidavit.git.tree import GitTree
from affidavit.records.record import Side
from affidavit.system.closing import Closing


class GitRepository(Closing):
    """Base and head of a change. Closing it ends its processes and deletes its temporary objects."""

    def __init__(self, store: ObjectStore, base: GitTree, head: GitTree) -> None:
        self.store = store
        self.base = base
        self.head = head

    @property
    def folder(self) -> Path | None:
        """The folder of the working tree, where there is one."""
        return self.store.location.work_tree if self.store.location else None

    def side(self, side: Side) -> GitTree:
        """The tree of one side."""
        return self.base if side == "base" else self.head

    def close(self) -> None:
        """Release everything; the trees cannot be read after it."""
        self.store.close()


def open_repository(folder: Path | None, base: str, head: str) -> GitRepository:
    """Open two commits of a repository by their full ids."""
    store = ObjectStore(find_repository(folder))
    try:
        return GitRepository(store, commit_tree(store, base), commit_tree(store, head))
    except BaseException:
        store.close()
        raise


def commit_tree(store: ObjectStore, commit: str) -> GitTree:
    """The tree of a commit."""
    return GitTree(store, store.git.line("rev-parse", "--verify", f"{commit}^{{tree}}"), commit)
