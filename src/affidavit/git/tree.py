"""Read one side of a repository from git objects only: list, read, search, blame."""

import math
import os
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from copy import copy
from functools import cached_property, lru_cache, partial

from affidavit.git.blame import blame, commit_behind
from affidavit.git.grep import Query, files_in_tree, search_tree
from affidavit.git.objects import MAX_READ_BYTES, ObjectStore
from affidavit.git.secrets import Secrets
from affidavit.git.text import decode_path, is_binary, text_lines
from affidavit.ports import BlameLine, Entry, LineCommit, Tree, always
from affidavit.records.evidence import SearchHit
from affidavit.redaction.text import redact_about, redact_content

MAX_TEXT_BYTES = 5_000_000
MAX_LINK_BYTES = 4096
REGULAR_MODES = frozenset({"100644", "100755", "100664"})
LINK_MODE = "120000"
SUBMODULE_MODE = "160000"
FOLDER_MODE = "040000"
BLAME_TIMEOUT_SECONDS = 60.0


def read_all(tree: Tree, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the contents of the files that can be read, all at once if the tree can do that."""
    if isinstance(tree, GitTree):
        contents: Iterable[tuple[str, bytes | None]] = tree.read_many(paths)
    else:
        contents = ((path, tree.read(path)) for path in paths)
    yield from ((path, content) for path, content in contents if content is not None)


def own_content(tree: Tree, path: str) -> bytes | None:
    """Return the content of a file, or the target of a link."""
    target = tree.link(path)
    return tree.read(path) if target is None else os.fsencode(target)


@lru_cache(maxsize=16)
def _redacted_lines(secrets: Secrets, path: str, blob: str, data: bytes) -> tuple[str, ...]:
    """Redact a file; keep the last ones, as many findings are in one file."""
    return tuple(text_lines(secrets.redact(path, blob, data)))


class GitTree:
    """A tree of git objects. `commit`, perhaps a temporary one, can be blamed."""

    def __init__(
        self,
        store: ObjectStore,
        tree: str,
        commit: str | Callable[[], str] | None = None,
        *,
        is_committed: bool = True,
    ) -> None:
        self.revision = tree
        self._commit = commit
        self.is_committed = is_committed
        self.before: GitTree | None = None
        """The tree that this one is compared with: a file that is text there is text here, too."""
        self.secrets = Secrets(store)
        self._store = store
        self._hidden: frozenset[str] = frozenset()
        self._listing = threading.Lock()

    @property
    def commit(self) -> str | None:
        """Return the commit; a temporary one is written when it is first asked for."""
        with self._listing:
            if callable(self._commit):
                self._commit = self._commit()
            return self._commit

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        listed = self._store.git.run("ls-tree", "-r", "-t", "-z", "--full-tree", self.revision)
        parsed = [_entry(row) for row in listed.split(b"\0") if row]
        folders = {entry.blob for entry in parsed if entry.mode == FOLDER_MODE}
        self._store.check([self.revision, *sorted(folders)])
        return {entry.path: entry for entry in parsed if entry.mode != FOLDER_MODE}

    def entries(self) -> dict[str, Entry]:
        """Return every file of the tree by its path."""
        with self._listing:
            return self._entries

    @cached_property
    def folders(self) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for entry in self.entries().values():
            raw = entry.raw_path
            while b"/" in raw:
                raw = raw.rsplit(b"/", 1)[0]
                name = decode_path(raw)
                if name in found:
                    break
                found[name] = raw
        return found

    def entry(self, path: str) -> Entry | None:
        return self.entries().get(path)

    def without(self, paths: Collection[str]) -> "GitTree":
        """Return the tree as if it did not have these files."""
        found = copy(self)
        found._hidden = self._hidden.union(paths)  # noqa: SLF001 - its own
        found._entries = {path: one for path, one in self.entries().items() if path not in paths}  # noqa: SLF001
        return found

    def blob_of(self, path: str) -> str:
        """Return the id of a file's content; empty if there is no such file."""
        entry = self.entry(path)
        return entry.blob if entry else ""

    def beside(self, before: "GitTree | None", secrets: Secrets) -> "GitTree":
        """Return the tree as one of a pair, whose secrets are numbered together."""
        found = copy(self)
        found.before, found.secrets = before, secrets
        return found

    def size(self, path: str) -> int | None:
        """Return the size of a regular file in bytes."""
        entry = self._regular(path)
        return self._store.size(entry.blob) if entry else None

    def read(self, path: str) -> bytes | None:
        """Return the content of a regular file of up to 100 MB."""
        return self._read_up_to(path, MAX_READ_BYTES)

    def link(self, path: str) -> str | None:
        """Return where a link leads, which is never followed; None for a file."""
        entry = self.entry(path)
        if entry is None or entry.mode != LINK_MODE or (self._store.size(entry.blob) or 0) > MAX_LINK_BYTES:
            return None
        content = self._store.read(entry.blob)
        return os.fsdecode(content) if content else None

    def read_many(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Yield the contents of regular files, much faster than one by one."""
        found = {path: entry.blob for path in paths if (entry := self._regular(path))}
        sizes = self._store.sizes(found.values())
        readable = [path for path, blob in found.items() if sizes.get(blob, math.inf) <= MAX_READ_BYTES]
        yield from ((path, None) for path in found.keys() - readable)
        contents = self._store.read_many(found[path] for path in readable)
        for path, (_, content) in zip(readable, contents, strict=True):
            yield path, content

    def lines(self, path: str) -> list[str] | None:
        """Return the lines of a text file of up to 5 MB; None for anything else."""
        data = self._read_up_to(path, MAX_TEXT_BYTES)
        return None if data is None or self._is_binary(data, path) else text_lines(data)

    def _is_binary(self, data: bytes, path: str) -> bool:
        return is_binary(data, path) and (self.before is None or self.before.lines(path) is None)

    def redacted_lines(self, path: str) -> list[str] | None:
        """Return the lines without secrets, redacted as a whole; of a link, its target."""
        target = self.link(path)
        if target is not None:
            return text_lines(redact_content(os.fsencode(target)))
        data = self._read_up_to(path, MAX_TEXT_BYTES)
        if data is None or self._is_binary(data, path):
            return None
        return list(_redacted_lines(self.secrets, path, self.blob_of(path), data))

    def without_secrets(self, path: str, text: str) -> str:
        """Redact a text about a file by the secrets of the file."""
        data = self._read_up_to(path, MAX_TEXT_BYTES)
        return redact_about(
            text, self.secrets.values(path, self.blob_of(path), data) if data is not None else {}
        )

    def search(
        self,
        pattern: str,
        paths: Sequence[str] = (),
        *,
        is_literal: bool = False,
        is_word: bool = False,
        max_hits: int = 200,
        max_characters: int = 2000,
        counts: Callable[[str], bool] = always,
    ) -> list[SearchHit]:
        """Return the lines that match; raise InputError for a bad pattern or paths that name no file."""
        query = Query(pattern, is_literal, is_word, max_hits, max_characters)
        seen = (lambda path: path not in self._hidden and counts(path)) if self._hidden else counts
        return search_tree(self._store.git, self, query, paths, seen)

    def files_with(self, pattern: str, endings: Sequence[str]) -> set[str]:
        """Return the files of these endings with a line that matches."""
        return files_in_tree(self._store.git, self, pattern, endings) - self._hidden

    def blame(self, path: str, line: int) -> BlameLine | None:
        """Return who last changed a line; None if there is no such line or no commit."""
        lines = self.lines(path)
        entry = self._regular(path)
        if self.commit is None or entry is None or lines is None or not 1 <= line <= len(lines):
            return None
        place = (self._store, self.commit, entry.raw_path, [(line, line)])
        (found,) = blame(*place, BLAME_TIMEOUT_SECONDS)
        is_uncommitted = not self.is_committed and found.commit == self.commit
        return BlameLine(
            path=found.about.get("filename", path),
            line=found.original_line,
            author=found.about.get("author", ""),
            date=found.date,
            commit="0" * len(found.commit) if is_uncommitted else found.commit,
            summary="" if is_uncommitted else found.about.get("summary", ""),
            text=lines[line - 1],
            before=found.about.get("previous", "").partition(" ")[2],
        )

    def line_commit(self, path: str, line: int) -> LineCommit | None:
        """Return the commit behind a line, without secrets; None if there is none."""
        found = self.blame(path, line)
        redact = partial(self.without_secrets, path)
        return None if found is None else commit_behind(self._store, found, redact, self.secrets)

    def _regular(self, path: str) -> Entry | None:
        entry = self.entry(path)
        return entry if entry and entry.mode in REGULAR_MODES else None

    def _read_up_to(self, path: str, limit: int) -> bytes | None:
        entry = self._regular(path)
        if entry is None:
            return None
        size = self._store.size(entry.blob)
        return None if size is None or size > limit else self._store.read(entry.blob)


def _entry(row: bytes) -> Entry:
    head, raw_path = row.split(b"\t", 1)
    mode, _kind, blob = head.decode().split(" ")
    return Entry(path=decode_path(raw_path), raw_path=raw_path, mode=mode, blob=blob)


def differing(tree: Tree, other: Tree) -> Iterator[str]:
    """Yield the files that the other tree lacks or has otherwise."""
    known = other.entries()
    for path, entry in tree.entries().items():
        if entry.mode in REGULAR_MODES and (path not in known or known[path].blob != entry.blob):
            yield path
