"""Files that resemble a changed one: same folder, same ending, much of the same text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from affidavit.errors import GitError
from affidavit.git.text import text_lines
from affidavit.git.tree import read_all
from affidavit.languages.registry import grammar_of
from affidavit.languages.test_files import is_test
from affidavit.ports import Tree
from affidavit.records.change import Change

MAX_CHANGED = 30
MAX_SIBLINGS = 150
MAX_BYTES = 200_000
MIN_LINE = 12
"""A shorter line, such as `return None`, stands everywhere."""
MIN_SHARED = 6
ALIKE = 0.35
MAX_TWINS = 3


@dataclass(frozen=True)
class Twin:
    """A file that has much of a changed file's text."""

    path: str
    changed_file: str
    shared: int
    of: int
    """How many lines that say something the shorter of the two has."""

    @property
    def share(self) -> float:
        """How alike they are."""
        return self.shared / self.of


def find_twins(change: Change, tree: Tree) -> tuple[list[Twin], list[str]]:
    """The near-twins of the product's changed files at head, and what was not compared, in sentences."""
    files = [
        file.head_path
        for file in change.reviewed_files()
        if file.head_path and grammar_of(file.path) and not is_test(file.path)
    ]
    try:
        found = [twin for path in files[:MAX_CHANGED] for twin in _twins_of(path, tree)]
    except GitError as error:
        return [], [f"files beside the changed ones could not be compared: {error}"]
    return [one for one in found if one.path not in change.changed_files], []


def _twins_of(path: str, tree: Tree) -> Iterator[Twin]:
    folder, ending = path.rpartition("/")[0], path[path.rfind(".") :]
    siblings = [
        other
        for other in tree.entries()
        if other != path
        and other.rpartition("/")[0] == folder
        and other.endswith(ending)
        and not is_test(other)
    ]
    if len(siblings) > MAX_SIBLINGS:
        return
    texts = {one: _telling(content) for one, content in read_all(tree, [path, *siblings])}
    own = texts.get(path, frozenset())
    rated = [
        Twin(one, path, len(own & texts[one]), _least(own, texts[one])) for one in siblings if one in texts
    ]
    alike = [one for one in rated if one.shared >= MIN_SHARED and one.share >= ALIKE]
    yield from sorted(alike, key=lambda one: (-one.share, one.path))[:MAX_TWINS]


def _least(one: Sequence[str] | frozenset[str], other: Sequence[str] | frozenset[str]) -> int:
    return max(1, min(len(one), len(other)))


def _telling(content: bytes) -> frozenset[str]:
    """The lines that say something, as a set."""
    if len(content) > MAX_BYTES:
        return frozenset()
    lines = (line.strip() for line in text_lines(content))
    return frozenset(
        line for line in lines if len(line) >= MIN_LINE and not line.startswith(("import ", "from "))
    )
