"""Find what the changed files build on, and what the changed lines call."""

import re
from collections.abc import Callable, Iterator, Sequence
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
class Source:
    """A file that defines what a changed file uses, though the changed file need not name it."""

    path: str
    name: str
    user: str
    """The changed file."""
    via: str = ""
    """The file that passes the name on; empty where the changed file imports the definition itself."""
    heir: str = ""
    """The changed class that builds on it; empty where it is merely imported."""


def find_sources(
    changes: Sequence[SymbolChange],
    imported: Sequence[Import],
    imports: Imports,
    tree: Tree,
) -> list[Source]:
    """What the imports of changed files mean in the end, and what their changed classes build on."""
    sought = _Sought(imports, tree)
    by_user: dict[str, list[Import]] = {}
    for one in imported:
        by_user.setdefault(one.path, []).append(one)
    classes = [one.head for one in changes if one.head and one.head.kind in CLASS_KINDS]
    bases = [source for heir in classes for source in sought.bases(heir, by_user.get(heir.path, []))]
    passed = [source for one in imported for source in sought.passed_on(one)]
    return list(dict.fromkeys([*bases, *passed]))


def definer_of(imports: Imports, tree: Tree) -> Callable[[str, str], str | None]:
    """Return a function from a name and a file that provides it to the file that defines it."""
    return _Sought(imports, tree).definer


@dataclass
class _Sought:
    """Looks for definitions, up to a bound on how many."""

    imports: Imports
    tree: Tree
    _found: dict[tuple[str, str], str | None] = field(default_factory=dict)
    _names: dict[str, frozenset[str]] = field(default_factory=dict)

    def passed_on(self, one: Import) -> Iterator[Source]:
        """The files behind the one that is imported, for each name that it only passes on."""
        if one.target is None:
            return
        for name in one.names:
            definer = self.definer(name, one.target)
            if definer not in (None, one.target, one.path):
                yield Source(definer or "", name, one.path, via=one.target)

    def bases(self, heir: Symbol, imported: Sequence[Import]) -> Iterator[Source]:
        """The files that define what the header of a class names."""
        for written in dict.fromkeys(_NAME.findall(heir.signature.partition(heir.name)[2])):
            *_, name = _DOTS.split(written)
            places = [*self._origins(written, imported), *_beside(heir, name)]
            definers = (self.definer(name, place) for place in places)
            definer = next((path for path in definers if path not in (None, heir.path)), None)
            if definer is not None:
                yield Source(definer, name, heir.path, heir=heir.name)

    def _origins(self, written: str, imported: Sequence[Import]) -> Iterator[str]:
        """The imported files from which a name, or what stands before its dot, may come."""
        first, *_ = _DOTS.split(written)
        for one in imported:
            if one.target is not None and (
                first in one.names or "*" in one.names or _DOTS.split(one.name)[-1] == first
            ):
                yield one.target

    def definer(self, name: str, path: str) -> str | None:
        """The file that defines the name: this one, or one from which it is passed on."""
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


def _beside(heir: Symbol, name: str) -> Iterator[str]:
    if LANGUAGES.named(heir.language).scoping.folder_has_classes:
        folder, slash, file = heir.path.rpartition("/")
        yield f"{folder}{slash}{name}.{file.rpartition('.')[2]}"


MAX_CALLED = 120
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
    """Find who defines what the product's changed lines call; return also what could not be looked for."""
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
                fitting = [
                    path
                    for path in sorted(paths)
                    if (LANGUAGES.of(path).family == LANGUAGES.of(user).family) and path != user
                ]
                if user not in paths:
                    found += [Called(path, name, user, len(paths)) for path in fitting]
    return found, []
