"""Where words stand in files and what they are there; kept by blob, so that nothing is parsed twice."""

import json
import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import jiter
from tree_sitter import Node

from affidavit.git.blob_cache import BlobCache
from affidavit.git.tree import read_all
from affidavit.languages.engine.grammars import Grammar, ancestors, parse
from affidavit.languages.registry import grammar_of
from affidavit.ports import Tree
from affidavit.symbols.definitions import (
    DEFINITIONS_VERSION,
    Definition,
    defined_in,
    definitions_kind,
    innermost,
    pack_definitions,
)
from affidavit.symbols.occurrences import Occurrence, Role, occurrences

CACHE_VERSION = 3
MAX_RECEIVER = 200
SCOPES = frozenset(("class_definition", "function_definition", "lambda"))
# What is bound inside of these is known inside of them only.
LOCAL_SCOPES = re.compile(r"function|method|lambda|closure|comprehension|generator_expression|class")


class WordPlace(NamedTuple):
    """One place of a word. `receiver` is the end of what stands before its dot, None where no dot is."""

    line: int
    role: Role
    receiver: str | None
    within: str
    """The dotted name of the definition around it."""
    is_in_class_body: bool
    is_of_file: bool = True
    """What the place binds is the file's own name: nothing local stands around it, or it says `global`."""


@dataclass
class WordPlaces:
    """The places by path and word, and the files that could not be parsed."""

    places: dict[tuple[str, str], list[WordPlace]] = field(default_factory=dict)
    unparsed: list[str] = field(default_factory=list)


def find_places(
    tree: Tree, wanted: Mapping[str, Collection[str]], cache: BlobCache, *, deadline: float
) -> WordPlaces:
    """The places of some words in each file, read in the order in which the files are given.

    The deadline is a time of this thread's own work.
    """
    found = WordPlaces()
    unread: dict[str, Collection[str]] = {}
    known = _load(tree, wanted, cache)
    for path, words in wanted.items():
        kept = {word: known.get(_key(tree, path, word)) for word in words}
        if any(places is None for places in kept.values()):
            unread[path] = words
        found.places.update({(path, word): places for word, places in kept.items() if places is not None})
    if unread:
        _read(tree, unread, cache, found, deadline)
    return found


def _key(tree: Tree, path: str, word: str) -> str:
    entry = tree.entry(path)
    return f"{entry.blob if entry else ''} {word}"


def _kind(grammar: Grammar) -> str:
    return f"places/{grammar.name}"


def _load(tree: Tree, wanted: Mapping[str, Collection[str]], cache: BlobCache) -> dict[str, list[WordPlace]]:
    by_grammar: dict[Grammar, list[str]] = {}
    for path, words in wanted.items():
        grammar = grammar_of(path)
        if grammar is not None:
            by_grammar.setdefault(grammar, []).extend(_key(tree, path, word) for word in words)
    found: dict[str, list[WordPlace]] = {}
    for grammar, keys in by_grammar.items():
        for key, data in cache.load(_kind(grammar), CACHE_VERSION, keys).items():
            places = _unpack(data)
            if places is not None:
                found[key] = places
    return found


def _read(
    tree: Tree, unread: Mapping[str, Collection[str]], cache: BlobCache, found: WordPlaces, deadline: float
) -> None:
    """Parse what the cache does not have; what the deadline cuts off counts as not parsed."""
    new: dict[Grammar, dict[str, bytes]] = {}
    defined: dict[Grammar, dict[str, bytes]] = {}
    parsed: set[str] = set()
    for path, content in read_all(tree, unread):
        if time.thread_time() > deadline:
            break
        grammar, entry = grammar_of(path), tree.entry(path)
        if grammar is None or entry is None:
            continue
        reading = _parse(content, grammar, unread[path])
        if reading is None:
            continue
        parsed.add(path)
        definitions, places = reading
        defined.setdefault(grammar, {})[entry.blob] = pack_definitions(definitions)
        for word, rows in places.items():
            found.places[path, word] = rows
            new.setdefault(grammar, {})[_key(tree, path, word)] = _pack(rows)
    found.unparsed += [path for path in unread if path not in parsed]
    for grammar, extracts in new.items():
        cache.save(_kind(grammar), CACHE_VERSION, extracts)
        cache.save(definitions_kind(grammar), DEFINITIONS_VERSION, defined[grammar])


def _parse(
    content: bytes, grammar: Grammar, words: Iterable[str]
) -> tuple[list[Definition], dict[str, list[WordPlace]]] | None:
    root = parse(grammar, content)
    if root is None:
        return None
    definitions = defined_in(root, content, grammar)
    places = {word: _places(occurrences(root, content, word), definitions) for word in words}
    return definitions, places


def _places(found: list[Occurrence], definitions: list[Definition]) -> list[WordPlace]:
    declared = {_local_scope(one.node) for one in found if _says_global(one)}
    return [_place(one, definitions, declared) for one in found]


def _place(one: Occurrence, definitions: list[Definition], declared: set[int | None]) -> WordPlace:
    around = innermost(definitions, one.line)
    receiver = one.receiver[-MAX_RECEIVER:] if one.receiver is not None else None
    is_bare = receiver is None and one.role != "text"
    within = around.qualified if around else ""
    is_of_file = one.role != "binding" or _local_scope(one.node) in (None, *declared)
    return WordPlace(one.line, one.role, receiver, within, is_bare and _is_in_class_body(one), is_of_file)


def _says_global(one: Occurrence) -> bool:
    return one.node.parent is not None and one.node.parent.type == "global_statement"


def _local_scope(node: Node) -> int | None:
    """The innermost function, class or the like around a place; None where it stands in the file itself."""
    return next((above.id for above in ancestors(node) if LOCAL_SCOPES.search(above.type)), None)


def _is_in_class_body(one: Occurrence) -> bool:
    around = (above.type for above in ancestors(one.node))
    return next((kind for kind in around if kind in SCOPES), "") == "class_definition"


def _pack(places: Iterable[WordPlace]) -> bytes:
    return json.dumps(list(places), separators=(",", ":")).encode()


def _unpack(data: bytes) -> list[WordPlace] | None:
    """What was kept; None where it is not what was written."""
    try:
        return list(_rows(jiter.from_json(data)))
    except (ValueError, TypeError):
        return None


def _rows(rows: Iterable[list[object]]) -> Iterator[WordPlace]:
    for row in rows:
        place = WordPlace(*row)  # type: ignore[arg-type]  # checked by the next lines as far as it matters
        if not isinstance(place.line, int) or not isinstance(place.within, str):
            raise TypeError("a place has a line and what lies around it")
        yield place
