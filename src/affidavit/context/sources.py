"""Where that which changed files import is defined, behind files that pass it on; the bases of classes."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from affidavit.languages.registry import LANGUAGES
from affidavit.records.context import Import, Symbol, SymbolChange
from affidavit.references.readers import Imports

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
    symbols_of: Callable[[str], Sequence[Symbol]],
) -> list[Source]:
    """What the imports of changed files mean in the end, and what their changed classes build on."""
    sought = _Sought(imports, symbols_of)
    by_user: dict[str, list[Import]] = {}
    for one in imported:
        by_user.setdefault(one.path, []).append(one)
    classes = [one.head for one in changes if one.head and one.head.kind in CLASS_KINDS]
    bases = [source for heir in classes for source in sought.bases(heir, by_user.get(heir.path, []))]
    passed = [source for one in imported for source in sought.passed_on(one)]
    return list(dict.fromkeys([*bases, *passed]))


def definer_of(
    imports: Imports, symbols_of: Callable[[str], Sequence[Symbol]]
) -> Callable[[str, str], str | None]:
    """What says which file defines a name that another provides."""
    return _Sought(imports, symbols_of).definer


@dataclass
class _Sought:
    """Looks for definitions, up to a bound on how many."""

    imports: Imports
    symbols_of: Callable[[str], Sequence[Symbol]]
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
        for written in dict.fromkeys(_NAME.findall(_header_after_name(heir))):
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
            self._names[path] = frozenset(one.qualified for one in self.symbols_of(path))
        return self._names[path]


def _header_after_name(heir: Symbol) -> str:
    return heir.signature.partition(heir.name)[2]


def _beside(heir: Symbol, name: str) -> Iterator[str]:
    if LANGUAGES.named(heir.language).scoping.folder_has_classes:
        folder, slash, file = heir.path.rpartition("/")
        yield f"{folder}{slash}{name}.{file.rpartition('.')[2]}"
