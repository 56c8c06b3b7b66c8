"""Find the names that a repository defines, which no environment could provide."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from affidavit.git.tree import differing
from affidavit.ports import Repository

ROOTS = ("", "src/", "lib/", "node_modules/")
"""Folders where interpreters look for the repository's own modules."""
CODE = (
    *(".py", ".pyc", ".pyd", ".pyi", ".pyw", ".pyx", ".so", ".rb", ".php", ".pl", ".pm", ".go", ".rs", ".sh"),
    *(".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx", ".json", ".node", ".vue", ".svelte"),
)
"""Endings of files that an interpreter may load; `redis.conf` is not a package."""
FILES_OF_PACKAGES = ("__init__", "index", "mod")


@dataclass(frozen=True)
class OwnNames:
    """The modules and programs that the repository has, or had."""

    roots: frozenset[str] = field(default_factory=frozenset)
    """Importable paths from the root of either side, without endings."""
    moved: frozenset[str] = field(default_factory=frozenset)
    """Modules that only one side has, in any folder."""
    files: frozenset[str] = field(default_factory=frozenset)
    """Names of files, as a shell reports a missing one."""
    changed: frozenset[str] = field(default_factory=frozenset)
    """The files in which base and head differ."""

    def has(self, name: str) -> bool:
        """Check whether a name is the repository's own."""
        if name in self.files:
            return True
        path = name if "/" in name else name.replace(".", "/")
        if path in self.roots or any(one == path or one.endswith(f"/{path}") for one in self.moved):
            return True
        # A package of the repository hides every other of its name; a folder without a file of its own
        # (a namespace package) does not.
        return f"{path.split('/')[0]}/" in self.roots


NOTHING_OWN = OwnNames()


def own_names(repository: Repository) -> OwnNames:
    """Return the names that the repository has at base or at head."""
    base, head = repository.redacted.base, repository.redacted.head
    changed = frozenset((*differing(base, head), *differing(head, base)))
    return replace(own_names_of(base.entries(), head.entries()), changed=changed)


def own_names_of(base: Iterable[str], head: Iterable[str]) -> OwnNames:
    """Return the names that these paths of both sides have."""
    before, after = frozenset(base), frozenset(head)
    rooted = {name for path in before | after for name in _importable(path)}
    moved = {name for path in before ^ after for name in _without_ending(path)}
    files = {path.rsplit("/", 1)[-1] for path in before | after}
    return OwnNames(frozenset(rooted), frozenset(moved), frozenset(files))


def _importable(path: str) -> Iterator[str]:
    """Yield the names by which a file can be imported; one with a slash covers all below it."""
    for root in ROOTS:
        if path.startswith(root):
            inner = path.removeprefix(root)
            yield from _without_ending(inner)
            stem, _, rest = inner.partition("/")
            if not rest and "." in stem and _is_code(inner):
                yield f"{stem.split('.')[0]}/"
            elif rest.split(".")[0] in FILES_OF_PACKAGES and _is_code(inner):
                yield f"{stem}/"


def _without_ending(path: str) -> Iterator[str]:
    folder, slash, file = path.rpartition("/")
    yield path
    if not _is_code(path):
        return
    stem = file.split(".")[0]
    yield f"{folder}{slash}{stem}"
    if stem in FILES_OF_PACKAGES and folder:
        yield folder


def _is_code(path: str) -> bool:
    name = path.rpartition("/")[2]
    return "." not in name or name.endswith(CODE)
