"""Calls of a method that the change removed, where nothing else of that name is left."""

import re
from collections.abc import Iterator

from affidavit.languages.registry import grammar_of
from affidavit.records.context import Symbol
from affidavit.references.reach import find_reach
from affidavit.specialists.broken_references.ground import Break, Ground, Parsed, is_guarded, is_telling
from affidavit.specialists.broken_references.members.python_classes import is_set
from affidavit.symbols.definitions import symbols_of
from affidavit.symbols.occurrences import Occurrence, occurrences

RULE = "references/removed-method"
# A Go type may embed others, and a Rust type may implement traits of others.
LANGUAGES = frozenset(("python", "javascript", "typescript", "java", "c#", "php", "ruby", "c++"))
INHERITING = re.compile(r"\((?!\s*(?:object\s*)?\))|\bextends\b|\bimplements\b|:\s*\w|<\s*\w")
MAX_FILES = 200
OF_JAVASCRIPT = frozenset(
    (
        "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString",
        "toString", "valueOf", "apply", "bind", "call",
    )
)  # fmt: skip
OF_ALL = {
    "java": frozenset(
        ("clone", "equals", "finalize", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait")
    ),
    "javascript": OF_JAVASCRIPT,
    "typescript": OF_JAVASCRIPT,
    "c#": frozenset(
        ("Equals", "Finalize", "GetHashCode", "GetType", "MemberwiseClone", "ReferenceEquals", "ToString")
    ),
}
"""What every object has, also where its class does not say so."""
DYNAMIC = re.compile(rb"__getattr__|__getattribute__|new Proxy\(|method_missing|__call\b")


def find_removed_methods(ground: Ground) -> Iterator[Break]:
    """Uses of the method in files that know its class; only where the name has no other meaning at head."""
    for old in ground.gone:
        if old.kind != "method" or not is_telling(old.name):
            continue
        uses = _only_uses(ground, old)
        for parsed, place in uses or ():
            message = f"`{old.name}` is used, but `{old.qualified}` is gone and nothing else has that name"
            yield Break(RULE, parsed.path, place.line, message, ground.cause(old.path, old.qualified))


def _only_uses(ground: Ground, old: Symbol) -> list[tuple[Parsed, Occurrence]] | None:
    """The uses by files that know the class; None where the name may mean something else."""
    if not class_is_plain(ground, old):
        return None
    hits = ground.telling_hits[old.name]
    paths = sorted({hit.path for hit in hits})
    if len(paths) > MAX_FILES:
        return None
    found: list[tuple[Parsed, Occurrence]] = []
    for path in paths:
        if grammar_of(path) is None:
            continue
        parsed = ground.parsed(path)
        if parsed is None:
            return None
        places = occurrences(parsed.root, parsed.text, old.name)
        if any(not _is_member_use(place) for place in places):
            return None
        found += [(parsed, place) for place in places if not is_guarded(place.node, parsed.text)]
    knowing = knowing_files(ground, old)
    return [(parsed, place) for parsed, place in found if parsed.path in knowing]


def _is_member_use(place: Occurrence) -> bool:
    """`object.name`: anything else, also a comment, a string or an assignment, may say that it lives on."""
    member = place.node.parent
    is_use = place.role in ("call", "name") and place.receiver is not None
    return is_use and member is not None and not is_set(member)


def class_is_plain(ground: Ground, old: Symbol) -> bool:
    """The class still stands at head, inherits from nothing, and its file makes no members at run time."""
    owner = old.qualified.rpartition(".")[0]
    text = ground.repository.head.read(old.path)
    if text is None or DYNAMIC.search(text) or old.language not in LANGUAGES:
        return False
    if old.name in OF_ALL.get(old.language, ()):
        return False
    found = [one for one in symbols_of(ground.repository.head, old.path) if one.qualified == owner]
    # What is inherited may come from a library that nobody sees here.
    return bool(found) and not any(INHERITING.search(one.signature) for one in found)


def knowing_files(ground: Ground, old: Symbol) -> set[str]:
    """The files that import the class by its name, and its own."""
    reach = find_reach(old, ground.head_imports, lambda _paths, _name: ())
    # A file of Java is a class.
    is_class = old.language == "java"
    return {old.path, *(path for path, way in reach.ways.items() if way == "by_name" or is_class)}
