"""Sort the map of a change into what people read: the files in a good order, who depends on them, and why."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from affidavit.languages.test_files import is_code, is_test
from affidavit.records.change import Change, FileChange
from affidavit.records.context import (
    BlameOrigin,
    ContextMap,
    HunkPlace,
    RelatedFile,
    SymbolChange,
    SymbolFate,
)

GROUPS = ("dependants", "texts", "tests", "dependencies", "companions", "documents")
HEADINGS: Mapping[str, str] = {
    "dependants": "What depends on it",
    "texts": "What has the same texts",
    "tests": "Which tests cover it",
    "dependencies": "What it depends on",
    "companions": "What usually changes with it",
    "documents": "Which documents name it",
}
FATES: Mapping[str, str] = {
    "added": "new",
    "removed": "removed",
    "renamed": "renamed",
    "signature_changed": "new signature",
    "touched": "changed inside",
}
FOLDED_FATES: tuple[SymbolFate, ...] = ("added", "touched")
"""Nobody outside has to know these differently, so their names are enough."""
_FATE_ORDER = ("removed", "renamed", "signature_changed", "added", "touched")
# These reasons end in the path of the changed file.
_NAMING = frozenset(
    {
        "tests",
        "documents",
        "changes_with",
        "imported_by",
        "extended_by",
        "shares_text",
        "called_by",
    }
)
_DEPENDING = frozenset({"calls", "uses", "implements", "imports"})
_GROUP_OF_KIND = {
    "documents": "documents",
    "changes_with": "companions",
    "shares_text": "texts",
}


@dataclass(frozen=True)
class ChangedView:
    """A file of the change."""

    file: FileChange
    added: int
    removed: int
    symbols: Sequence[SymbolChange]
    places: Sequence[str]
    """Symbols in which its hunks sit."""
    reach: int
    """How many related files depend on it."""

    @property
    def path(self) -> str:
        """Its path at head; at base for a deleted file."""
        return self.file.path


@dataclass(frozen=True)
class OriginView:
    """A commit that wrote some of the replaced lines."""

    origin: BlameOrigin
    places: Sequence[str]
    lines: int


@dataclass(frozen=True)
class MapView:
    """The map, sorted for reading."""

    changed: Sequence[ChangedView]
    """In an order that is good to read: what others of the change build on comes first."""
    groups: Mapping[str, Sequence[RelatedFile]]
    changed_tests: Sequence[str]
    """Tests that cover the change and are part of it."""
    outside: Sequence[str]
    """Modules that the changed files import and that are not in the repository."""
    origins: Sequence[OriginView]
    links: Mapping[str, Sequence[str]]
    """Related file to the changed files that it is tied to."""


def view_map(change: Change, context: ContextMap) -> MapView:
    """Sort the map for reading."""
    groups: dict[str, list[RelatedFile]] = {name: [] for name in GROUPS}
    for file in context.related_files:
        groups[_group(file, context)].append(file)
    links = _links(change, context, groups)
    related = {file.path for file in context.related_files}
    return MapView(
        changed=_changed_views(change, context, links, groups),
        groups=groups,
        changed_tests=[path for path in context.tests if path not in related],
        outside=sorted({one.name for one in context.imports if one.target is None}),
        origins=_origin_views(context.origins),
        links=links,
    )


def _group(file: RelatedFile, context: ContextMap) -> str:
    strongest = file.reasons[0].kind
    if file.path in context.tests or any(reason.kind == "tests" for reason in file.reasons):
        return "tests"
    if strongest in _DEPENDING:
        return "dependants"
    return _GROUP_OF_KIND.get(strongest, "dependencies")


def _links(
    change: Change, context: ContextMap, groups: Mapping[str, Sequence[RelatedFile]]
) -> dict[str, list[str]]:
    """Each related file and the changed files that its reasons speak of, in the direction of its group."""
    at_head = {path: one.path for one in change.files for path in (one.base_path, one.path) if path}
    defined = _definers(context.symbols)
    resolved: dict[tuple[str, str], list[str]] = {}
    for use in context.references:
        if use.definition:
            resolved.setdefault((use.path, use.symbol), []).append(use.definition)
    importing = _pairs((one.path, one.target) for one in context.importers)
    imported = _pairs((one.target, one.path) for one in context.imports)
    links = {}
    for name, files in groups.items():
        for file in files:
            found = [reason.detail.rsplit(" ", 1)[-1] for reason in file.reasons if reason.kind in _NAMING]
            if name == "dependencies":
                found += imported.get(file.path, [])
            else:
                for symbol in file.symbols:
                    found += resolved.get((file.path, symbol), defined.get(symbol, []))
                found += importing.get(file.path, [])
            links[file.path] = sorted({at_head[path] for path in found if path in at_head})
    return links


def _pairs(pairs: Iterable[tuple[str | None, str | None]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for first, second in pairs:
        if first is not None and second is not None:
            found.setdefault(first, []).append(second)
    return found


def _definers(symbols: Iterable[SymbolChange]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in symbols:
        for symbol in (one.base, one.head):
            if symbol is not None:
                found.setdefault(symbol.qualified, []).append(symbol.path)
    return found


def _changed_views(
    change: Change,
    context: ContextMap,
    links: Mapping[str, Sequence[str]],
    groups: Mapping[str, Sequence[RelatedFile]],
) -> list[ChangedView]:
    depending = [file.path for name in ("dependants", "tests") for file in groups[name]]
    reach = Counter(path for file in depending for path in links[file])
    symbols = _symbols_by_file(change, context.symbols)
    places = _places_by_file(context.hunks)
    return [
        ChangedView(
            file=file,
            added=len(file.changed_lines("head")),
            removed=len(file.changed_lines("base")),
            symbols=symbols.get(file.path, []),
            places=places.get(file.path, []),
            reach=reach[file.path],
        )
        for file in reading_order(change, context)
    ]


def _symbols_by_file(change: Change, symbols: Iterable[SymbolChange]) -> dict[str, list[SymbolChange]]:
    at_head = {one.base_path: one.path for one in change.files if one.base_path}
    found: dict[str, list[SymbolChange]] = {}
    for one in sorted(symbols, key=lambda one: _FATE_ORDER.index(one.fate)):
        if one.head is not None:
            found.setdefault(one.head.path, []).append(one)
        elif one.base is not None:
            found.setdefault(at_head.get(one.base.path, one.base.path), []).append(one)
    return found


def folded_names(symbols: Sequence[SymbolChange], fate: SymbolFate) -> list[str]:
    """The names of the symbols of one fate: public ones first, and no class beside its own members."""
    named = [one.head.qualified for one in symbols if one.fate == fate and one.head is not None]
    if fate == "touched":
        named = [name for name in named if not any(other.startswith(f"{name}.") for other in named)]
    else:
        named = [name for name in named if "." not in name or name.rsplit(".", 1)[0] not in named]
    return sorted(dict.fromkeys(named), key=lambda name: name.rsplit(".", 1)[-1].startswith("_"))


def _places_by_file(hunks: Iterable[HunkPlace]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for hunk in hunks:
        if hunk.symbol not in found.setdefault(hunk.path, []):
            found[hunk.path].append(hunk.symbol)
    return found


def reading_order(change: Change, context: ContextMap) -> list[FileChange]:
    """Code first, what is imported before what imports it; then tests, then the rest, skipped files last."""
    files = {file.path: file for file in change.files}
    imports: dict[str, list[str]] = {}
    for one in context.imports:
        if one.target in files and one.path in files:
            imports.setdefault(one.path, []).append(one.target)
    place = {path: number for number, path in enumerate(_imported_first(sorted(files), imports))}
    tests = frozenset(context.tests)
    return sorted(files.values(), key=lambda file: (_rank(file, tests), place[file.path]))


def _rank(file: FileChange, tests: frozenset[str]) -> int:
    if file.skipped is not None:
        return 3
    if not is_code(file.path):
        return 2
    return int(file.path in tests or is_test(file.path))


def _imported_first(paths: Sequence[str], imports: Mapping[str, Sequence[str]]) -> list[str]:
    """Depth first, without recursion: a change may hold a chain of thousands, and cycles."""
    ordered: list[str] = []
    seen: set[str] = set()
    for start in paths:
        stack = [(start, False)]
        while stack:
            path, is_done = stack.pop()
            if is_done:
                ordered.append(path)
            elif path not in seen:
                seen.add(path)
                stack.append((path, True))
                stack.extend((target, False) for target in reversed(imports.get(path, ())))
    return ordered


def _origin_views(origins: Sequence[BlameOrigin]) -> list[OriginView]:
    by_commit: dict[str, list[BlameOrigin]] = {}
    for origin in origins:
        by_commit.setdefault(origin.commit, []).append(origin)
    views = [
        OriginView(
            origin=group[0],
            places=[_span(origin) for origin in group],
            lines=sum(origin.last_line - origin.first_line + 1 for origin in group),
        )
        for group in by_commit.values()
    ]
    return sorted(views, key=lambda view: (-view.lines, view.origin.commit))


def _span(origin: BlameOrigin) -> str:
    first, last = origin.first_line, origin.last_line
    return f"{origin.path}:{first}" if first == last else f"{origin.path}:{first}-{last}"
