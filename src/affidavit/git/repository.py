"""A pair of git trees, with the objects behind them."""

import os
import threading
from collections.abc import Mapping
from pathlib import Path

from affidavit.git.blob_cache import BlobCache
from affidavit.git.confined.location import find_repository
from affidavit.git.objects import ObjectStore
from affidavit.git.redacted import redact_trees
from affidavit.git.tree import GitTree
from affidavit.records.record import Side
from affidavit.system.temporary import Closing


class GitRepository(Closing):
    """Base and head of a change. Closing it ends its processes and deletes its temporary objects."""

    def __init__(self, store: ObjectStore, base: GitTree, head: GitTree, tip: GitTree | None = None) -> None:
        self.store = store
        self.base = base
        self.head = head
        self.tip = tip
        self._redacting = threading.Lock()
        self._redacted: RedactedRepository | None = None
        head.before = base

    @property
    def folder(self) -> Path | None:
        """The folder of the working tree, where there is one."""
        return self.store.location.work_tree if self.store.location else None

    @property
    def excusing(self) -> tuple[GitTree, ...]:
        """Base, and the tip where there is one: what excuses or hides counts only if all of them say it."""
        return (self.base,) if self.tip is None else (self.base, self.tip)

    def side(self, side: Side) -> GitTree:
        """The tree of one side."""
        return self.base if side == "base" else self.head

    @property
    def redacted(self) -> "RedactedRepository":
        """The same as it may leave the machine; made when first asked for."""
        return self.redact()

    def redact(self, cache: BlobCache | None = None) -> "RedactedRepository":
        """The same; every file is read once, unless the cache knows it to be without secrets."""
        with self._redacting:
            if self._redacted is None:
                base, head, names = redact_trees(self.store, self.base, self.head, cache)
                self._redacted = RedactedRepository(self.store, base, head, names, self.tip)
            return self._redacted

    def tracks(self, place: Path) -> bool:
        """Whether a file or folder of the working tree, or a link on the way to it, is tracked.

        By base, head or the index: what is tracked is what authors of changes wrote.
        """
        folder = self.folder
        if folder is None:
            return False
        paths = {
            one.relative_to(root).as_posix()
            for one in (Path(os.path.abspath(place)), place.resolve())  # noqa: PTH100 - a link is kept
            for root in (folder, folder.resolve())
            if one.is_relative_to(root)
        }
        # The tree of what is not committed also has the user's own files, which the index does not know.
        head = self.head.entries() if self.head.is_committed else ()
        tracked = {*self.base.entries(), *head, *self._indexed()}
        return any(
            known == path or known.startswith(f"{path}/") or path.startswith(f"{known}/")
            for path in paths
            for known in tracked
        )

    def _indexed(self) -> list[str]:
        location = self.store.location
        if location is None:
            return []
        own = {"GIT_DIR": str(location.git_dir), "GIT_INDEX_FILE": str(location.index)}
        listed = self.store.git.having(own).run("ls-files", "--cached", "-z")
        return listed.decode("utf-8", "surrogateescape").split("\0")[:-1]

    def shown_name(self, path: str) -> str:
        """What a file is called here."""
        return path

    def close(self) -> None:
        """Release everything; the trees cannot be read after it."""
        self.store.close()


class RedactedRepository(GitRepository):
    """Both sides without their secrets: all that models, and whoever acts for them, read and search."""

    def __init__(
        self,
        store: ObjectStore,
        base: GitTree,
        head: GitTree,
        names: Mapping[str, str],
        tip: GitTree | None = None,
    ) -> None:
        super().__init__(store, base, head, tip)
        self._names = names

    @property
    def redacted(self) -> "RedactedRepository":
        """Itself."""
        return self

    def redact(self, _cache: BlobCache | None = None) -> "RedactedRepository":
        """Itself."""
        return self

    def shown_name(self, path: str) -> str:
        """What a file of the commit is called here: a name that holds a secret is another one."""
        return self._names.get(path, path)


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
    return GitTree(store, store.tree_of(commit), commit)
