"""Find uses of functions and types that a change removed from a Go package."""

import re
from collections.abc import Iterator

from affidavit.analysers.references.ground import (
    Break,
    Parsed,
    ReferenceLookup,
    is_import,
    places_of,
)
from affidavit.languages.grammars import matches, node_text
from affidavit.records.context import Symbol
from affidavit.symbols.occurrences import WordOccurrence

RULE = "references/removed-attribute"
IMPORTS = "(import_spec name: (_)? @alias path: (_) @module)"
PACKAGE = re.compile(rb"^package\s+(\w+)", re.MULTILINE)
DOT_IMPORT = re.compile(rb'^\s*(?:import\s+)?\.\s+"', re.MULTILINE)
# These are defined even without the package's own definition.
BUILT_IN = frozenset(
    (
        "_", "any", "append", "bool", "byte", "cap", "clear", "close", "comparable", "complex", "complex64",
        "complex128", "copy", "delete", "error", "false", "float32", "float64", "imag", "int", "int8",
        "int16", "int32", "int64", "iota", "len", "make", "max", "min", "new", "nil", "panic", "print",
        "println", "real", "recover", "rune", "string", "true", "uint", "uint8", "uint16", "uint32",
        "uint64", "uintptr",
    )
)  # fmt: skip


def find_removed_go_names(ground: ReferenceLookup) -> Iterator[Break]:
    """Yield uses of what a package no longer has, from other packages and from its own files."""
    # A definition that only moved may be in another package now.
    changed = [one.base for one in ground.symbols if one.fate in ("removed", "renamed") and one.base]
    gone = [old for old in changed if old.language == "go" and _is_shared(old)]
    hits = ground.search(sorted({old.name for old in gone}))
    paths = sorted({hit.path for hit in hits if hit.path.endswith(".go")})
    for old in gone:
        files = ground.beside(_folder(old), ".go")
        if old.name in BUILT_IN or ground.count_defined(files, old.qualified):
            continue
        for parsed, alias in _files_that_know(ground, old, paths):
            yield from _uses(ground, parsed, old, alias)


def _is_shared(old: Symbol) -> bool:
    """Skip methods, and tests, which nothing imports."""
    return "." not in old.qualified and not old.path.endswith("_test.go")


def _folder(old: Symbol) -> str:
    return old.path.rpartition("/")[0]


def _files_that_know(ground: ReferenceLookup, old: Symbol, paths: list[str]) -> Iterator[tuple[Parsed, str]]:
    """Yield the files of the package with an empty alias, and those that import it with theirs."""
    importers = _importers(ground, _folder(old))
    package = PACKAGE.search(ground.repository.base.read(old.path) or b"")
    for path in paths:
        parsed = ground.sound(path)
        if parsed is None or package is None:
            continue
        if path.rpartition("/")[0] == _folder(old):
            declared = PACKAGE.search(parsed.text)
            if declared is not None and declared[1] == package[1]:
                yield parsed, ""
        elif path in importers:
            alias = _alias(ground, parsed, importers[path], _folder(old))
            if alias is not None and not _is_bound(parsed, alias):
                yield parsed, alias


def _importers(ground: ReferenceLookup, folder: str) -> dict[str, str]:
    """Return the files of head that import the package, with the path under which they do."""
    return {
        one.path: one.name
        for path in ground.beside(folder, ".go")
        for one in ground.head_imports.importers_of(path)
    }


def _alias(ground: ReferenceLookup, parsed: Parsed, imported: str, folder: str) -> str | None:
    for captured in matches(parsed.grammar, IMPORTS, parsed.root):
        if node_text(captured["module"][0], parsed.text).strip('"`') == imported:
            if "alias" in captured:
                alias = node_text(captured["alias"][0], parsed.text)
                return alias if alias.isidentifier() and alias != "_" else None
            return _package_name(ground, folder)
    return None


def _package_name(ground: ReferenceLookup, folder: str) -> str | None:
    for path in ground.beside(folder, ".go"):
        if not path.endswith("_test.go"):
            declared = PACKAGE.search(ground.repository.head.read(path) or b"")
            return declared[1].decode() if declared else None
    return None


def _is_bound(parsed: Parsed, name: str) -> bool:
    places = places_of(parsed, name)
    return any(place.role in ("definition", "binding") and not is_import(place) for place in places)


def _uses(ground: ReferenceLookup, parsed: Parsed, old: Symbol, alias: str) -> Iterator[Break]:
    places = places_of(parsed, old.name)
    if alias:
        found = [place for place in places if place.receiver == alias and place.role in ("call", "name")]
        holder = f"the package `{_folder(old)}`"
    else:
        found = _plain_uses(parsed, places)
        holder = f"the package `{PACKAGE.findall(parsed.text)[0].decode()}`"
    for place in found:
        said = f"{place.receiver}.{old.name}" if place.receiver else old.name
        message = f"`{said}` is used, but {holder} does not have it any more"
        yield Break(RULE, parsed.path, place.line, message, ground.cause(old.path, old.qualified))


def _plain_uses(parsed: Parsed, places: list[WordOccurrence]) -> list[WordOccurrence]:
    """Return uses of a name by itself, in a file that gives it no other meaning."""
    is_other = any(place.role in ("definition", "binding", "key", "import") for place in places)
    if is_other or DOT_IMPORT.search(parsed.text):
        return []
    return [
        place
        for place in places
        if place.role in ("call", "name")
        and place.receiver is None
        and place.node.type in ("identifier", "type_identifier")
    ]
