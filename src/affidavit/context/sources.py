"""Find the files that define what a change uses: bases of its classes, and called functions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from affidavit.errors import GitError, InputError
from affidavit.languages.registry import LANGUAGES, grammar_of
from affidavit.languages.test_files import is_test
from affidavit.ports import Tree
from affidavit.records.change import Change, FileChange
from affidavit.records.context import Import, Symbol, SymbolChange
from affidavit.symbols.definitions import symbols_of
from affidavit.symbols.enclosing import is_plain_word
from affidavit.symbols.readers import Imports

MAX_NAMES = 400
MAX_STEPS = 4
CLASS_KINDS = frozenset(("class", "interface"))
_NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::|\\)[^\W\d]\w*)*(?!\w|\s*=)")
_DOTS = re.compile(r"\.|::|\\|/")


@dataclass(frozen=True)
class Base:
    """A class or interface that a changed class builds on, and the file that defines it."""

    path: str
    name: str
    heir: str
    """The changed class."""
    user: str
    """The file of the changed class."""


def find_bases(changes: Sequence[SymbolChange], imports: Imports, tree: Tree) -> list[Base]:
    """Return what the changed classes of the product build on."""
    definers = _Definers(imports, tree)
    changed = [one.head for one in changes if one.head and not is_test(one.head.path)]
    heirs = [one for one in changed if one.kind in CLASS_KINDS]
    return list(dict.fromkeys(base for heir in heirs for base in _bases(heir, definers)))


def _bases(heir: Symbol, definers: "_Definers") -> Iterator[Base]:
    """Yield the bases that the header of a class names."""
    imported = definers.imports.imports_of(heir.path)
    for written in dict.fromkeys(_NAME.findall(heir.signature.partition(heir.name)[2])):
        *_, name = _DOTS.split(written)
        places = [*_origins(written, imported), *_beside(heir, name)]
        found = (definers.of(name, place) for place in places)
        path = next((one for one in found if one not in (None, heir.path)), None)
        if path is not None:
            yield Base(path, name, heir.name, heir.path)


def _origins(written: str, imported: Sequence[Import]) -> Iterator[str]:
    """Yield the imported files from which a name, or the part before its dot, may come."""
    first, *_ = _DOTS.split(written)
    for one in imported:
        if one.target is not None and (
            first in one.names or "*" in one.names or _DOTS.split(one.name)[-1] == first
        ):
            yield one.target


def _beside(heir: Symbol, name: str) -> Iterator[str]:
    if LANGUAGES.named(heir.language).scoping.folder_has_classes:
        folder, slash, file = heir.path.rpartition("/")
        yield f"{folder}{slash}{name}.{file.rpartition('.')[2]}"


@dataclass
class _Definers:
    """Finds the files that define names, up to a bound on how many."""

    imports: Imports
    tree: Tree
    _found: dict[tuple[str, str], str | None] = field(default_factory=dict)
    _names: dict[str, frozenset[str]] = field(default_factory=dict)

    def of(self, name: str, path: str) -> str | None:
        """Return the file that defines a name: this one, or one from which it is passed on."""
        key = (name, path)
        if key not in self._found:
            self._found[key] = self._follow(name, path) if len(self._found) < MAX_NAMES else None
        return self._found[key]

    def _follow(self, name: str, path: str) -> str | None:
        waiting, seen = [path], {path}
        for _ in range(MAX_STEPS):
            found = next((one for one in waiting if name in self._defined(one)), None)
            if found is not None or not waiting:
                return found
            behind = [target for one in waiting for target in self._behind(name, one) if target not in seen]
            waiting = list(dict.fromkeys(behind))
            seen.update(waiting)
        return None

    def _behind(self, name: str, path: str) -> Iterator[str]:
        for one in self.imports.imports_of(path):
            if one.target is not None and (name in one.names or "*" in one.names):
                yield one.target

    def _defined(self, path: str) -> frozenset[str]:
        if path not in self._names:
            self._names[path] = frozenset(one.qualified for one in symbols_of(self.tree, path))
        return self._names[path]


MAX_CALLED = 120
MAX_HITS = 3000
MAX_LINE = 2000
MIN_LENGTH = 3
_CALL = re.compile(r"(?:([\w)\]]+)\s*(?:\.|::|->|\?\.)\s*)?([^\W\d]\w*)\s*\(")
_DEFINED = re.compile(r"\b(?:def|func|function|fn|fun|class|struct)\s+(?:\([^)]*\)\s*)?(\w+)")
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


def find_called(change: Change, tree: Tree, imports: Imports) -> tuple[list[Called], list[str]]:
    """Find the files that define what changed lines of the product call; say what was not searched."""
    definers = _Definers(imports, tree)
    found: list[Called] = []
    unresolved: dict[str, list[str]] = {}
    for file in change.reviewed_files():
        if file.head_path is None or is_test(file.path) or grammar_of(file.path) is None:
            continue
        imported = imports.imports_of(file.head_path)
        for receiver, name in dict.fromkeys(_calls(file)):
            path = _imported_from(receiver, name, imported, definers)
            if path is not None and path != file.head_path:
                found.append(Called(path, name, file.path))
            elif path is None and not is_plain_word(name):
                # Names such as `join` and `lower` are too common.
                unresolved.setdefault(name, []).append(file.path)
    by_name, left_out = _by_name(unresolved, tree)
    return [*found, *by_name], left_out


def _calls(file: FileChange) -> Iterator[tuple[str, str]]:
    """Yield receiver and name of each call in a changed line, those of head first."""
    for mark in "+-":
        for hunk in file.hunks:
            for line in hunk.lines:
                if line[0] == mark and len(line) <= MAX_LINE:
                    for found in _CALL.finditer(line, 1):
                        if len(found[2]) >= MIN_LENGTH and found[2] not in _NO_CALLS:
                            yield found[1] or "", found[2]


def _imported_from(receiver: str, name: str, imported: Sequence[Import], definers: _Definers) -> str | None:
    for one in imported:
        if one.target is None:
            continue
        is_module = bool(receiver) and (receiver in one.names or re.split(r"\W", one.name)[-1] == receiver)
        if name in one.names or is_module:
            return definers.of(name, one.target) or one.target
    return None


def _by_name(users: dict[str, list[str]], tree: Tree) -> tuple[list[Called], list[str]]:
    """Find methods, which are not imported, by a name that only one file defines."""
    names = list(users)[:MAX_CALLED]
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
        if grammar_of(hit.path) is not None and not is_test(hit.path):
            for name in _DEFINED.findall(hit.text):
                defining.setdefault(name, set()).add(hit.path)
    return [
        Called(path, name, user)
        for name in names
        if len(defining.get(name, ())) == 1
        for path in defining[name]
        for user in dict.fromkeys(users[name])
        if path != user and LANGUAGES.of(path).family == LANGUAGES.of(user).family
    ], []
