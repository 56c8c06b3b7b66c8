"""A repository as it may leave the machine: both trees with every name and every file redacted, whole."""

from collections.abc import Iterable, Iterator, Mapping

from affidavit.git.blob_cache import BlobCache
from affidavit.git.line_commit import commit_behind
from affidavit.git.objects import ObjectStore
from affidavit.git.tree import MAX_TEXT_BYTES, REGULAR_MODES, GitTree
from affidavit.ports import BlameLine, Entry, LineCommit
from affidavit.redaction.text import redact_content, redact_text, rules_version

WRITTEN_AT_ONCE = 200
CLEAN = "without-secrets"


class RedactedTree(GitTree):
    """One side without secrets: git itself searches the redacted files, so no pattern ever meets a secret.

    It is written beside the repository's own objects. Every line keeps its number.
    """

    def __init__(
        self, store: ObjectStore, original: GitTree, revision: str, names: Mapping[str, str]
    ) -> None:
        super().__init__(store, revision, original.commit, is_committed=original.is_committed)
        self._original = original
        self._own_names = {shown: own for own, shown in names.items()}

    def redacted_lines(self, path: str) -> list[str] | None:
        """The lines: nothing is left to be redacted, but for where a link leads."""
        return self.lines(path) if self.link(path) is None else super().redacted_lines(path)

    def without_secrets(self, path: str, text: str) -> str:
        """What is said about a file, without the secrets that its original has."""
        return self._original.without_secrets(self._own_names.get(path, path), text)

    def blame(self, path: str, line: int) -> BlameLine | None:
        """Who last changed a line, by the history of the commit itself."""
        lines = self.lines(path)
        found = self._original.blame(self._own_names.get(path, path), line)
        if found is None or lines is None or line > len(lines):
            return None
        return _without_secrets(found, lines[line - 1])

    def line_commit(self, path: str, line: int) -> LineCommit | None:
        """The commit behind a line; of the file's content then and before, what may leave."""
        lines = self.lines(path)
        own = self._own_names.get(path, path)
        blamed = self._original.blame(own, line)
        if blamed is None or lines is None or line > len(lines):
            return None
        found = commit_behind(self._store, blamed, redact_content)
        return found.model_copy(
            update={
                "blame": _without_secrets(blamed, lines[line - 1]),
                "message": self.without_secrets(path, found.message),
                "files": tuple(map(redact_text, found.files)),
            }
        )


def _without_secrets(found: BlameLine, text: str) -> BlameLine:
    said = {name: redact_text(getattr(found, name)) for name in ("path", "author", "summary", "before")}
    return found.model_copy(update={**said, "text": text})


def redact_trees(
    store: ObjectStore, base: GitTree, head: GitTree, cache: BlobCache | None = None
) -> tuple[RedactedTree, RedactedTree, dict[str, str]]:
    """Both trees, and the names that differ in them; a file that both have is read once."""
    names = shown_names(base, head)
    entries = [*base.entries().values(), *head.entries().values()]
    blobs = dict(_redacted_blobs(store, entries, cache or BlobCache(None)))
    made = [RedactedTree(store, tree, _write_tree(store, tree, names, blobs), names) for tree in (base, head)]
    made[1].before = made[0]
    return made[0], made[1], names


def shown_names(*trees: GitTree) -> dict[str, str]:
    """The paths that hold a secret, and what each is called instead; no two are called the same."""
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


def _write_tree(store: ObjectStore, tree: GitTree, names: Mapping[str, str], blobs: Mapping[str, str]) -> str:
    entries = tree.entries()
    changes: dict[bytes, tuple[str, str] | None] = {
        entries[own].raw_path: None for own in names if own in entries
    }
    for entry in entries.values():
        blob = blobs.get(entry.blob, entry.blob) if entry.mode in REGULAR_MODES else entry.blob
        if entry.path in names or blob != entry.blob:
            name = names[entry.path].encode() if entry.path in names else entry.raw_path
            changes[name] = (entry.mode, blob)
    return store.write_tree(tree.revision, changes) if changes else tree.revision


def _redacted_blobs(
    store: ObjectStore, entries: Iterable[Entry], cache: BlobCache
) -> Iterator[tuple[str, str]]:
    """Each blob that holds a secret, and the one that stands in its place."""
    sizes = store.sizes(entry.blob for entry in entries if entry.mode in REGULAR_MODES)
    known = cache.load(CLEAN, rules_version(), sizes)
    clean: dict[str, bytes] = {}
    waiting: dict[str, bytes] = {}
    for blob, content in _shown(store, {blob: sizes[blob] for blob in sizes.keys() - known.keys()}):
        if content is None:
            clean[blob] = b""
            continue
        waiting[blob] = content
        if len(waiting) == WRITTEN_AT_ONCE:
            yield from _written(store, waiting)
            waiting = {}
    yield from _written(store, waiting)
    cache.save(CLEAN, rules_version(), clean)


def _shown(store: ObjectStore, sizes: Mapping[str, int]) -> Iterator[tuple[str, bytes | None]]:
    """What stands in the place of each blob; None where it may leave as it is."""
    for blob, content in store.read_many(blob for blob, size in sizes.items() if size <= MAX_TEXT_BYTES):
        # One that cannot be read is not known to be without secrets, and nobody can read it later either.
        if content is not None:
            redacted = redact_content(content)
            yield blob, None if redacted == content else redacted
    # What is too large to be looked through for secrets does not leave at all.
    for blob, size in sizes.items():
        if size > MAX_TEXT_BYTES:
            yield blob, f"[left out: {size} bytes are too many to be read]\n".encode()


def _written(store: ObjectStore, contents: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    yield from zip(contents, store.write_blobs(list(contents.values())), strict=True)
