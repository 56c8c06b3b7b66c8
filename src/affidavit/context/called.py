"""What the changed lines call: from the lines of a change to the files that define it."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from affidavit.errors import GitError, InputError
from affidavit.languages.registry import LANGUAGES, grammar_of
from affidavit.languages.test_files import is_test
from affidavit.ports import Tree
from affidavit.records.change import Change, FileChange
from affidavit.records.context import Import
from affidavit.references.readers import Imports
from affidavit.symbols.documents import is_plain_word

MAX_NAMES = 120
MAX_HITS = 3000
MAX_LINE = 2000
MIN_LENGTH = 3
FEW_DEFINERS = 3
"""A name that more files define says nothing of any of them, unless it is imported from there."""
_CALL = re.compile(r"(?:([\w)\]]+)\s*(?:\.|::|->|\?\.)\s*)?([^\W\d]\w*)\s*\(")
_DEFINING = r"^\s*(?:[\w@]+\s+)*(?:def|func|function|fn|fun|class|struct)\s+(?:\([^)]*\)\s*)?(?:{})\b"
_NEVER_MEANT = (
    "if for while switch catch return and or not in is elif await yield function def func fn class with "
    "assert print len range str int float bool list dict set tuple isinstance getattr setattr hasattr "
    "super type zip map filter sorted reversed enumerate min max sum any all open repr require import "
    "append make new"
)
_NO_CALLS = frozenset(_NEVER_MEANT.split())


@dataclass(frozen=True)
class Called:
    """A file that defines something which changed lines call."""

    path: str
    name: str
    user: str
    """The changed file."""
    definers: int = 1
    """How many files the name may mean; 1 where an import says which."""


def find_called(
    change: Change, tree: Tree, imports: Imports, definer: Callable[[str, str], str | None]
) -> tuple[list[Called], list[str]]:
    """Who defines what the product's changed lines call, and what could not be looked for, in sentences.

    `definer` says which file behind an imported one defines a name.
    """
    found: list[Called] = []
    unresolved: dict[str, list[str]] = {}
    for file in change.reviewed_files():
        if file.head_path is None or is_test(file.path) or grammar_of(file.path) is None:
            continue
        imported = imports.imports_of(file.head_path)
        for receiver, name in dict.fromkeys(_calls(file)):
            path = _imported_from(receiver, name, imported, definer)
            if path is None and is_plain_word(name):
                # `join` and `lower` are many things.
                continue
            if path is None:
                unresolved.setdefault(name, []).append(file.path)
            elif path != file.head_path:
                found.append(Called(path, name, file.path))
    by_name, left_out = _by_name(unresolved, tree)
    return [*found, *by_name], left_out


def _calls(file: FileChange) -> Iterator[tuple[str, str]]:
    """Receiver and name of each call in a changed line; what is called on head first."""
    for mark in "+-":
        for hunk in file.hunks:
            for line in hunk.lines:
                if line[0] == mark and len(line) <= MAX_LINE:
                    for found in _CALL.finditer(line, 1):
                        if len(found[2]) >= MIN_LENGTH and found[2] not in _NO_CALLS:
                            yield found[1] or "", found[2]


def _imported_from(
    receiver: str, name: str, imported: Sequence[Import], definer: Callable[[str, str], str | None]
) -> str | None:
    for one in imported:
        if one.target is None:
            continue
        is_module = bool(receiver) and (receiver in one.names or re.split(r"\W", one.name)[-1] == receiver)
        if name in one.names or is_module:
            return definer(name, one.target) or one.target
    return None


def _by_name(users: dict[str, list[str]], tree: Tree) -> tuple[list[Called], list[str]]:
    """Methods have no import: the few files that define one of that name are taken for what is meant."""
    names = list(users)[:MAX_NAMES]
    if not names:
        return [], []
    try:
        hits = tree.search(_DEFINING.format("|".join(map(re.escape, names))), max_hits=MAX_HITS)
    except (InputError, GitError) as error:
        return [], [f"what the changed lines call could not be searched for: {error}"]
    if len(hits) >= MAX_HITS:
        return [], ["what the changed lines call has too many definitions to be named"]
    defining: dict[str, set[str]] = {}
    for hit in hits:
        if grammar_of(hit.path) is None or is_test(hit.path):
            continue
        for name in re.findall(
            r"\b(?:def|func|function|fn|fun|class|struct)\s+(?:\([^)]*\)\s*)?(\w+)", hit.text
        ):
            if name in users:
                defining.setdefault(name, set()).add(hit.path)
    found = []
    for name, paths in defining.items():
        if len(paths) <= FEW_DEFINERS:
            for user in dict.fromkeys(users[name]):
                fitting = [path for path in sorted(paths) if _speaks_alike(path, user) and path != user]
                if user not in paths:
                    found += [Called(path, name, user, len(paths)) for path in fitting]
    return found, []


def _speaks_alike(path: str, other: str) -> bool:
    return LANGUAGES.of(path).family == LANGUAGES.of(other).family
