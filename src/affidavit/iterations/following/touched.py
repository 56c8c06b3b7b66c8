"""What new commits touch, and what that reaches: two reviews' files in, paths and parts of hunks out."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from affidavit.iterations.following.hunks import known_file, new_parts
from affidavit.languages.registry import LANGUAGES
from affidavit.ports import Case, Tree
from affidavit.records.change import FileChange
from affidavit.records.iteration import Earlier

MAX_TEXT_LINES = 20_000
UNTELLING = frozenset({"__init__", "index", "main", "mod", "lib", "init"})
"""Names of files that say nothing: their folder's name does."""


@dataclass(frozen=True)
class Touched:
    """Files by their path at head, or at base where they are gone."""

    paths: frozenset[str] = frozenset()
    """What is not as it was in the earlier review, under its old name or its new one."""
    reached: frozenset[str] = frozenset()
    """Other changed files that name one of these."""
    parts: dict[str, tuple[tuple[int, int, int], ...]] = field(default_factory=dict)
    """Of touched files: hunk and lines that no model has seen; a file of `paths` without parts has none."""


def touched_since(earlier: Earlier, case: Case) -> Touched:
    """Compare the change with the one of the earlier review; neither commit of that one is needed."""
    files = [file for file in case.change.files if file.skipped is None]
    paths, parts = set[str](), dict[str, tuple[tuple[int, int, int], ...]]()
    for file in files:
        new = _unseen(file, earlier)
        if new or _is_touched(file, earlier):
            paths.add(file.path)
            parts[file.path] = new
    still = {known.path for file in case.change.files if (known := known_file(file, earlier.files))}
    paths |= {one.path for one in earlier.files if one.path not in still}
    others = [file.path for file in files if file.path not in paths]
    reached = frozenset(path for path in others if _names_any(case.repository.head, path, paths))
    return Touched(frozenset(paths), reached, parts)


def rests_on(path: str, touched: Touched, tree: Tree) -> bool:
    """Whether a file is touched, names a touched file, or is named by one."""
    if path in touched.paths:
        return True
    return _names_any(tree, path, touched.paths) or any(
        _names_any(tree, one, {path}) for one in touched.paths
    )


def _is_touched(file: FileChange, earlier: Earlier) -> bool:
    known = known_file(file, earlier.files)
    if known is None:
        return True
    return (known.new_blob, known.path) != (file.new_blob, file.path) or known.old_blob != file.old_blob


def _unseen(file: FileChange, earlier: Earlier) -> tuple[tuple[int, int, int], ...]:
    """What of a file no model of an earlier review has seen."""
    known = known_file(file, earlier.files)
    seen = [one for one in known.hunks if one.examined_by] if known else []
    return tuple(new_parts(file, seen))


def _names_any(tree: Tree, path: str, others: Iterable[str]) -> bool:
    """Whether the text of a file has the name of one of the others as a word."""
    names = {name for other in others if other != path and (name := _telling_name(other))}
    if not names or not LANGUAGES.of(path).is_code:
        return False
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(names)))})(?!\w)")
    return any(pattern.search(line) for line in _lines(tree, path))


def _telling_name(path: str) -> str:
    place = PurePosixPath(path)
    stem = place.name.split(".", 1)[0]
    return place.parent.name if stem.lower() in UNTELLING else stem


def _lines(tree: Tree, path: str) -> Sequence[str]:
    return (tree.redacted_lines(path) or [])[:MAX_TEXT_LINES]
