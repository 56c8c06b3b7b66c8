"""Open a pair of git trees, plain or redacted, with the objects behind them."""

import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from affidavit.git.blob_cache import BlobCache
from affidavit.git.location import find_repository
from affidavit.git.objects import ObjectStore
from affidavit.git.secrets import Secrets
from affidavit.git.tree import MAX_TEXT_BYTES, REGULAR_MODES, GitTree
from affidavit.languages.registry import ending_of, texts_in
from affidavit.ports import BlameLine, Entry
from affidavit.records.record import Side
from affidavit.redaction.text import redact_text, rules_version
from affidavit.system.temporary import Closing

CLEAN = "without-secrets"


class RedactedTree(GitTree):
    """One side without secrets; lines keep their numbers."""

    def __init__(
        self, store: ObjectStore, original: GitTree, revision: str, names: Mapping[str, str]
    ) -> None:
        super().__init__(store, revision, original.commit, is_committed=original.is_committed)
        self.secrets = original.secrets
        self._original = original
        self._own_names = {shown: own for own, shown in names.items()}

    def redacted_lines(self, path: str) -> list[str] | None:
        """Return the lines, which are redacted already, or the redacted target of a link."""
        return self.lines(path) if self.link(path) is None else super().redacted_lines(path)

    def without_secrets(self, path: str, text: str) -> str:
        """Redact a text about a file by the secrets of its original."""
        return self._original.without_secrets(self._own_names.get(path, path), text)

    def blame(self, path: str, line: int) -> BlameLine | None:
        """Return who last changed a line, by the history of the commit itself."""
        lines = self.lines(path)
        found = self._original.blame(self._own_names.get(path, path), line)
        if found is None or lines is None or line > len(lines):
            return None
        return _without_secrets(found, lines[line - 1])


def _without_secrets(found: BlameLine, text: str) -> BlameLine:
    said = {name: redact_text(getattr(found, name)) for name in ("path", "author", "summary", "before")}
    return found.model_copy(update={**said, "text": text})


def redact_trees(
    store: ObjectStore, base: GitTree, head: GitTree, cache: BlobCache | None = None
) -> tuple[RedactedTree, RedactedTree, dict[str, str]]:
    """Return both trees without secrets, and the names that differ; a shared file is read once."""
    names = shown_names(base, head)
    entries = [*base.entries().values(), *head.entries().values()]
    blobs = dict(_redacted_blobs(store, entries, cache or BlobCache(None), head.secrets))
    made = [RedactedTree(store, tree, _write_tree(store, tree, names, blobs), names) for tree in (base, head)]
    made[1].before = made[0]
    return made[0], made[1], names


def shown_names(*trees: GitTree) -> dict[str, str]:
    """Return the paths that contain a secret, each with another unique name."""
    shown: dict[str, str] = {}
    taken = {path for tree in trees for path in tree.entries()}
    for path in sorted(taken):
        name = plain = redact_text(path)
        if name == path:
            continue
        number = 1
        while name in taken:
            number += 1
            name = f"{plain}.{number}"
        taken.add(name)
        shown[path] = name
    return shown


def _write_tree(
    store: ObjectStore, tree: GitTree, names: Mapping[str, str], blobs: Mapping["_Read", str]
) -> str:
    entries = tree.entries()
    changes: dict[bytes, tuple[str, str] | None] = {
        entries[own].raw_path: None for own in names if own in entries
    }
    for entry in entries.values():
        blob = blobs.get(_read_as(entry), entry.blob) if entry.mode in REGULAR_MODES else entry.blob
        if entry.path in names or blob != entry.blob:
            name = names[entry.path].encode() if entry.path in names else entry.raw_path
            changes[name] = (entry.mode, blob)
    return store.write_tree(tree.revision, changes) if changes else tree.revision


class _Read(NamedTuple):
    """A blob, and the ending of the file, which decides as what language it is read."""

    blob: str
    ending: str


def _read_as(entry: Entry) -> _Read:
    return _Read(entry.blob, ending_of(entry.path))


def _redacted_blobs(
    store: ObjectStore, entries: Iterable[Entry], cache: BlobCache, secrets: Secrets
) -> Iterator[tuple[_Read, str]]:
    """Yield each blob that holds a secret, and its replacement."""
    read = {_read_as(entry): entry.path for entry in entries if entry.mode in REGULAR_MODES}
    sizes = store.sizes({blob for blob, _ in read})
    known = cache.load(CLEAN, rules_version(), sizes)
    clean: dict[str, bytes] = {}
    unknown = [blob for blob, size in sizes.items() if size <= MAX_TEXT_BYTES and blob not in known]
    for blob, content in store.read_many(unknown):
        # An unreadable file may hold secrets, and nobody can read it later either.
        if content is not None and not secrets.spans(blob, content):
            clean[blob] = b""
    cache.save(CLEAN, rules_version(), clean)
    hidden = {one: path for one, path in read.items() if one.blob not in known and one.blob not in clean}
    yield from store.write_named(_shown(store, hidden, sizes, secrets))


def _shown(
    store: ObjectStore, read: Mapping[_Read, str], sizes: Mapping[str, int], secrets: Secrets
) -> Iterator[tuple[_Read, bytes]]:
    """Yield the replacement of each blob that has a secret or is too large to be searched for one."""
    if read:
        # Not while other files are being read.
        secrets.numbers()
    few = [one for one in read if sizes[one.blob] <= MAX_TEXT_BYTES]
    for one, (blob, content) in zip(few, store.read_many([one.blob for one in few]), strict=True):
        redacted = content if content is None else secrets.redact(read[one], blob, content)
        if redacted is not None and redacted != content:
            yield one, redacted
    for one in read:
        if sizes[one.blob] > MAX_TEXT_BYTES:
            yield one, f"[left out: {sizes[one.blob]} bytes are too many to be read]\n".encode()


def _changed_files(store: ObjectStore, base: GitTree, head: GitTree) -> list[tuple[str, str]]:
    """Return path and blob of each file that differs: those of base first."""
    found = [
        (path, entry.blob)
        for tree, other in ((base, head), (head, base))
        for path, entry in sorted(tree.entries().items())
        if entry.mode in REGULAR_MODES and other.blob_of(path) != entry.blob
    ]
    sizes = store.sizes(blob for _, blob in found)
    return [(path, blob) for path, blob in found if sizes.get(blob, 0) <= MAX_TEXT_BYTES]


class GitRepository(Closing):
    """Base and head of a change. Closing it ends its processes and deletes its temporary objects."""

    def __init__(self, store: ObjectStore, base: GitTree, head: GitTree, tip: GitTree | None = None) -> None:
        self.store = store
        secrets = self._secrets(base, head)
        self.base = base.beside(base.before, secrets)
        self.head = head.beside(self.base, secrets)
        self.tip = tip and tip.beside(tip.before, secrets)
        self._redacting = threading.Lock()
        self._redacted: RedactedRepository | None = None

    def _secrets(self, base: GitTree, head: GitTree) -> Secrets:
        return Secrets(self.store, partial(_changed_files, self.store, base, head), texts_in)

    @property
    def folder(self) -> Path | None:
        """Return the folder of the working tree, if there is one."""
        return self.store.location.work_tree if self.store.location else None

    @property
    def excusing(self) -> tuple[GitTree, ...]:
        """Return base and, if known, the target's tip: a file is excused only if all of them say so."""
        return (self.base,) if self.tip is None else (self.base, self.tip)

    def side(self, side: Side) -> GitTree:
        return self.base if side == "base" else self.head

    @property
    def redacted(self) -> "RedactedRepository":
        """Return the redacted repository; it is made on first use."""
        return self.redact()

    def redact(self, cache: BlobCache | None = None) -> "RedactedRepository":
        """Redact both trees once; files without secrets by the cache are not read."""
        with self._redacting:
            if self._redacted is None:
                base, head, names = redact_trees(self.store, self.base, self.head, cache)
                self._redacted = RedactedRepository(self.store, base, head, names, self.tip)
            return self._redacted

    def tracks(self, place: Path) -> bool:
        """Check whether base, head or the index tracks a path, or a link on the way to it."""
        folder = self.folder
        if folder is None:
            return False
        paths = {
            one.relative_to(root).as_posix()
            for one in (Path(os.path.abspath(place)), place.resolve())  # noqa: PTH100 - a link is kept
            for root in (folder, folder.resolve())
            if one.is_relative_to(root)
        }
        # The tree of uncommitted files also has the user's own files, which the index does not have.
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
        """Return the name of a file here."""
        return path

    def close(self) -> None:
        """Release everything; the trees cannot be read after it."""
        self.store.close()


class RedactedRepository(GitRepository):
    """Both sides without secrets: all that models and agents read and search."""

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

    def _secrets(self, base: GitTree, _head: GitTree) -> Secrets:
        """Return the secrets of the originals."""
        return base.secrets

    @property
    def redacted(self) -> "RedactedRepository":
        return self

    def redact(self, _cache: BlobCache | None = None) -> "RedactedRepository":
        return self

    def shown_name(self, path: str) -> str:
        """Return the name of a file of the commit here: one that holds a secret is replaced."""
        return self._names.get(path, path)


def open_repository(folder: Path | None, base: str, head: str) -> GitRepository:
    """Open two commits of a repository by their full ids."""
    with ObjectStore(find_repository(folder)).closed_on_failure() as store:
        return GitRepository(store, commit_tree(store, base), commit_tree(store, head))


def commit_tree(store: ObjectStore, commit: str) -> GitTree:
    return GitTree(store, store.tree_of(commit), commit)
