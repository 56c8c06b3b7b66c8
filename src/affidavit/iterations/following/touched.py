"""What new commits touch, and what that reaches: two reviews' files in, paths and parts of hunks out."""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from affidavit.iterations.following.hunks import digests_of, known_file, new_head_lines, new_parts
from affidavit.languages.registry import LANGUAGES
from affidavit.ports import Case, Tree
from affidavit.records.change import FileChange
from affidavit.records.iteration import Earlier, EarlierFile
from affidavit.symbols.definitions import symbols_of

MAX_TEXT_LINES = 20_000
_WORD = re.compile(r"[^\W\d]\w*")
UNTELLING = frozenset({"__init__", "index", "main", "mod", "lib", "init"})
"""Names of files that say nothing: their folder's name does."""


Parts = tuple[tuple[int, int, int], ...]
"""Numbers of hunks, and where their lines are cut."""


@dataclass(frozen=True)
class Touched:
    """Files by their path at head, or at base where they are gone."""

    paths: frozenset[str] = frozenset()
    """What is not as it was in the earlier review, under its old name or its new one."""
    reached: frozenset[str] = frozenset()
    """Other changed files that use what was touched in one of these."""
    parts: dict[str, Parts] = field(default_factory=dict)
    """Of touched files: hunk and lines that no model has seen; a file of `paths` without parts has none."""
    rewritten: frozenset[str] = frozenset()
    """Files whose content is not what it was, whoever has seen them."""


def touched_since(earlier: Earlier, case: Case) -> Touched:
    """Compare the change with the one of the earlier review; neither commit of that one is needed."""
    files = [file for file in case.change.files if file.skipped is None]
    paths, parts = set[str](), dict[str, Parts]()
    for file in files:
        new = _unseen(file, earlier)
        if new or _is_touched(file, earlier):
            paths.add(file.path)
            parts[file.path] = new
    still = {known.path for file in case.change.files if (known := known_file(file, earlier.files))}
    paths |= {one.path for one in earlier.files if one.path not in still}
    others = [file.path for file in files if file.path not in parts]
    names = _names_touched(files, parts, earlier, case)
    reached = frozenset(path for path in others if _uses(case.repository.head, path, names))
    return Touched(frozenset(paths), reached, parts, _rewritten(earlier, still, case))


def _names_touched(
    files: Sequence[FileChange], parts: Mapping[str, Parts], earlier: Earlier, case: Case
) -> dict[str, frozenset[str]]:
    """The name by which others know a touched file, and the definitions in it that are new or changed."""
    names: dict[str, frozenset[str]] = {}
    for file in files:
        if not parts.get(file.path) or file.head_path is None:
            continue
        known = known_file(file, earlier.files)
        lines = new_head_lines(file, known.hunks if known else ())
        symbols = symbols_of(case.repository.head, file.path)
        found = [one.name for one in symbols if any(one.line <= line <= one.end_line for line in lines)]
        names[_telling_name(file.path)] = frozenset(found) | names.get(_telling_name(file.path), frozenset())
    return names


def _uses(tree: Tree, path: str, names: Mapping[str, frozenset[str]]) -> bool:
    """Whether a file names a touched file, and something that was touched in it."""
    if not LANGUAGES.of(path).is_code:
        return False
    words = {word for line in _lines(tree, path) for word in _WORD.findall(line)}
    return any(file in words and not words.isdisjoint(found) for file, found in names.items())


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


def _rewritten(earlier: Earlier, still: Container[str], case: Case) -> frozenset[str]:
    """By their names then and now; what is no longer part of the change may have its content all the same."""
    names: set[str] = set()
    for file in case.change.files:
        known = known_file(file, earlier.files)
        if known is None or not _has_same_content(known, file):
            names |= {file.path, known.path if known else file.path}
    for one in earlier.files:
        entry = case.repository.head.entry(one.path)
        if one.path not in still and (entry is None or entry.blob != one.new_blob):
            names.add(one.path)
    return frozenset(names)


def _has_same_content(known: EarlierFile, file: FileChange) -> bool:
    if known.new_blob and file.new_blob:
        return known.new_blob == file.new_blob
    return [one.digests for one in known.hunks] == [digests_of(hunk) for hunk in file.hunks]


def _unseen(file: FileChange, earlier: Earlier) -> Parts:
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
