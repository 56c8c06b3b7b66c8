"""Judge how sure it is that a word in a file means a symbol: by receiver, imports and package."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Literal

from affidavit.languages.language import Scoping
from affidavit.languages.registry import LANGUAGES
from affidavit.records.context import Certainty, Import, Symbol
from affidavit.symbols.occurrences import WordPlace
from affidavit.symbols.readers import Imports

Way = Literal["by_name", "by_star", "by_file"]
"""How a file imports a symbol: by name, with everything, or with its file."""

MAX_PROVIDERS = 200
MAX_STEPS = 4


@dataclass
class SymbolReach:
    """The files that import a symbol, and how; `providers` are files that define it or pass it on."""

    name: str
    providers: dict[str, int] = field(default_factory=dict)
    ways: dict[str, Way] = field(default_factory=dict)
    via: dict[str, str] = field(default_factory=dict)
    """The provider from which each file imports it."""

    def is_imported_elsewhere(self, imported: Import) -> bool:
        """Check whether a statement imports the name from a file that does not provide it."""
        return self.name in imported.names and imported.target not in self.providers


def find_reach(
    symbol: Symbol, imports: Imports, defining: Callable[[Collection[str], str], Collection[str]]
) -> SymbolReach:
    """Follow the importers of the symbol, except into files that define the name themselves (`defining`)."""
    reach = SymbolReach(symbol.qualified.partition(".")[0], {symbol.path: 0})
    providers = [symbol.path]
    for steps in range(1, MAX_STEPS + 2):
        taking = list(
            dict.fromkeys(path for provider in providers for path in _takers(reach, provider, imports))
        )
        if not taking or steps > MAX_STEPS:
            break
        own = defining(taking, reach.name)
        providers = [path for path in taking if path not in own][: MAX_PROVIDERS - len(reach.providers)]
        reach.providers.update(dict.fromkeys(providers, steps))
    return reach


def _takers(reach: SymbolReach, provider: str, imports: Imports) -> list[str]:
    """Return the files that import the name, or everything, from a provider, and do not provide it yet."""
    found: dict[str, None] = {}
    for one in imports.importers_of(provider):
        way = _way(one, reach.name)
        _note(reach, one.path, way, provider)
        if way != "by_file" and one.path not in reach.providers:
            found[one.path] = None
    return list(found)


def _way(imported: Import, name: str) -> Way:
    if name in imported.names:
        return "by_name"
    return "by_star" if "*" in imported.names else "by_file"


def _note(reach: SymbolReach, path: str, way: Way, provider: str) -> None:
    known = reach.ways.get(path)
    if known is None or known == "by_file" or way == "by_name":
        reach.ways[path] = way
        reach.via[path] = provider


SELVES = frozenset(("self", "this", "cls", "$this", "Self", "static", "super()"))
_RUST_TYPE = re.compile(r"(?:\w+::)*(?:[A-Z]|[A-Z]\w*[a-z]\w*)|<.*>")
"""A static has capitals only."""
_CONTAINER_METHODS = frozenset(name for kind in (dict, list, set, str) for name in dir(kind))
_LAST_NAME = re.compile(r"(\w+)\W*$")
# A package's `__main__` file is imported by its own name.
_FOLDER_STEMS = LANGUAGES.folder_stems - {"__main__"}


@dataclass(frozen=True)
class ReferenceCertainty:
    """The certainty of a reference, and the reason."""

    certainty: Certainty
    why: str


def assess(
    symbol: Symbol,
    path: str,
    place: WordPlace,
    reach: SymbolReach,
    imported: Sequence[Import],
    *,
    is_bound: bool,
) -> ReferenceCertainty | None:
    """Judge one occurrence; return None if it cannot mean the symbol."""
    if place.role == "text":
        return ReferenceCertainty("possible", "it is in a comment or a string")
    if symbol.language == "go" and not (symbol.name[:1].isupper() or _is_same_package(symbol, path)):
        return None
    if "." in symbol.qualified:
        return _assess_member(symbol, path, place, reach)
    if place.receiver is not None:
        return _assess_attribute(symbol, path, place.receiver, reach)
    return _assess_bare(symbol, path, place, reach, imported, is_bound=is_bound)


def _assess_member(
    symbol: Symbol, path: str, place: WordPlace, reach: SymbolReach
) -> ReferenceCertainty | None:
    """Judge a method or field: only the type of its receiver could make it certain."""
    owner = symbol.qualified.rpartition(".")[0]
    owner_name = owner.rpartition(".")[2]
    receiver = place.receiver
    is_inside = path == symbol.path and f"{place.within}.".startswith(f"{owner}.")
    # Methods of Go are not fields, so a key is something else of that name.
    is_bare = receiver is None and (symbol.language == "go" or place.role not in ("key", "import"))
    if is_bare and _needs_object(symbol) and not (is_inside and place.is_in_class_body):
        return None
    if is_inside and (receiver in SELVES or receiver is None):
        return ReferenceCertainty("certain", f"it is inside {owner}")
    if (
        receiver is not None
        and _last_name(receiver) == owner_name
        and (path == symbol.path or path in reach.ways or _is_same_package(symbol, path))
    ):
        return ReferenceCertainty("certain", f"it is taken from {owner_name} itself")
    if symbol.language == "go" and place.role != "call" and not _is_same_package(symbol, path):
        return ReferenceCertainty("possible", "it is not called there and may be a field of that name")
    is_near = reach.ways.get(path) == "by_name" or (is_inside and str(receiver).isidentifier())
    if receiver and _is_likely_another(symbol, receiver, owner_name, is_near=is_near):
        return ReferenceCertainty("possible", f"{receiver[:40]} may have something else of that name")
    return _assess_member_by_file(symbol, path, reach)


def _needs_object(symbol: Symbol) -> bool:
    """Check whether a member is never used bare; in Rust, variants of enums are."""
    is_of_rust = symbol.language == "rust" and symbol.kind in ("method", "type")
    return is_of_rust or _scoping(symbol).members_need_object


def _is_likely_another(symbol: Symbol, receiver: str, owner: str, *, is_near: bool) -> bool:
    """Check whether a member is rather that of another type of Rust, or of a container of Python."""
    if symbol.language == "rust":
        return _last_name(receiver) != owner and bool(_RUST_TYPE.fullmatch(receiver))
    return symbol.language == "python" and symbol.name in _CONTAINER_METHODS and not is_near


def _assess_member_by_file(symbol: Symbol, path: str, reach: SymbolReach) -> ReferenceCertainty:
    way = reach.ways.get(path)
    if path == symbol.path:
        return ReferenceCertainty("likely", f"it is in the file that defines {reach.name}")
    if way is not None:
        taken = reach.via[path] if way == "by_file" else f"{reach.name} from {reach.via[path]}"
        return ReferenceCertainty("likely", f"the file imports {taken}")
    if _is_same_package(symbol, path):
        return ReferenceCertainty("likely", "the file is of the same package")
    return ReferenceCertainty("possible", f"the file does not import {symbol.path}")


def _assess_attribute(
    symbol: Symbol, path: str, receiver: str, reach: SymbolReach
) -> ReferenceCertainty | None:
    """Judge `module.name`: certain if the receiver has the name of the module."""
    if path == symbol.path:
        return (
            None
            if receiver in SELVES
            else ReferenceCertainty("possible", "an attribute of that name in the same file")
        )
    if path in reach.ways:
        if _last_name(receiver) == _module_name(reach.via[path], symbol.language):
            return ReferenceCertainty("certain", f"the file imports {reach.via[path]} and names it")
        if receiver in SELVES:
            return None
        return ReferenceCertainty("likely", f"the file imports {reach.via[path]}")
    return ReferenceCertainty("possible", f"the file does not import {symbol.path}")


def _assess_bare(
    symbol: Symbol,
    path: str,
    place: WordPlace,
    reach: SymbolReach,
    imported: Sequence[Import],
    *,
    is_bound: bool,
) -> ReferenceCertainty | None:
    way = reach.ways.get(path)
    if path == symbol.path:
        return _unless_bound("the file defines it", is_bound=is_bound)
    if way == "by_name":
        return _unless_bound(f"the file imports it from {reach.via[path]}", is_bound=is_bound)
    if any(reach.is_imported_elsewhere(one) for one in imported):
        return None
    if _is_same_package(symbol, path):
        return _unless_bound("the file is of the same package", is_bound=is_bound)
    if way is not None:
        what = "everything from " if way == "by_star" else ""
        return ReferenceCertainty("likely", f"the file imports {what}{reach.via[path]}")
    takes_everything = any("*" in one.names and one.target is None for one in imported)
    if _scoping(symbol).is_open or takes_everything or place.role == "import":
        return ReferenceCertainty("possible", f"the file does not import {symbol.path}")
    return None


def _unless_bound(why: str, *, is_bound: bool) -> ReferenceCertainty:
    if is_bound:
        return ReferenceCertainty("likely", f"{why}, though it also has a local variable of that name")
    return ReferenceCertainty("certain", why)


def _is_same_package(symbol: Symbol, path: str) -> bool:
    is_beside = path.rpartition("/")[0] == symbol.path.rpartition("/")[0]
    return _scoping(symbol).folder_is_package and is_beside


def _scoping(symbol: Symbol) -> Scoping:
    return LANGUAGES.named(symbol.language).scoping


def _last_name(receiver: str) -> str:
    found = _LAST_NAME.search(receiver)
    return found[1] if found else ""


def _module_name(path: str, language: str) -> str:
    """Return the name that an importing file usually has for the module."""
    *folders, name = path.split("/")
    stem = name.partition(".")[0]
    return folders[-1] if folders and (stem in _FOLDER_STEMS or language == "go") else stem
