"""Make the map of a change: what it touches, what depends on it, who wrote the lines."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

from affidavit.context.history import Companion, find_companions, find_origins
from affidavit.context.relevance import MAX_RELATED, TOKEN_BUDGET, Ties, rank_related
from affidavit.context.sources import Called, Source, definer_of, find_called, find_sources
from affidavit.context.texts import SharedText, find_shared_texts
from affidavit.errors import GitError, InputError
from affidavit.git.repository import GitRepository
from affidavit.languages.registry import is_document
from affidavit.languages.test_files import NamesakeTests, has_tests, is_named_test, is_test
from affidavit.ports import Tree
from affidavit.records.change import Change, FileChange
from affidavit.records.context import (
    BlameOrigin,
    ContextMap,
    Import,
    Reference,
    Symbol,
    SymbolChange,
    SymbolFate,
)
from affidavit.records.evidence import SearchHit
from affidavit.symbols.changed import symbol_changes
from affidavit.symbols.definitions import symbols_of
from affidavit.symbols.readers import CodeReaders, Imports

MAX_FOLLOWED_SYMBOLS = 300
MAX_REFERENCES = 1000
MAX_IMPORTS = 1000
MAX_DOCUMENTED_PATHS = 100
MAX_DOCUMENT_HITS = 300
MAX_PASSING = 100
MAX_CALLEES = 60
FATES_BY_WEIGHT: tuple[SymbolFate, ...] = ("removed", "renamed", "signature_changed", "touched")
# Methods that nobody calls by their names: constructors, operators, iteration.
_PROTOCOL_NAME = re.compile(r"__\w+__|constructor|initialize")
CERTAINTIES = ("certain", "likely", "possible")


@dataclass(frozen=True)
class _Edges:
    """Imports from and into the changed files."""

    imports: list[Import]
    importers: list[Import]


@dataclass(frozen=True)
class _Gathered:
    """What was read of code, documents and history, and what could not be."""

    symbols: tuple[SymbolChange, ...]
    edges: _Edges
    references: list[Reference]
    documents: list[tuple[str, SearchHit]]
    companions: list[Companion]
    texts: list[SharedText]
    called: list[Called]
    origins: list[BlameOrigin]
    left_out: list[str]


def gather_context(
    change: Change,
    repository: GitRepository,
    readers: CodeReaders,
    *,
    max_files: int = MAX_RELATED,
    token_budget: int = TOKEN_BUDGET,
) -> ContextMap:
    """Return the map of a change; `left_out` says what did not fit or could not be read."""
    found = _find(change, repository, readers)
    ties = _tie(found, change, repository, readers)
    related, not_fitting = rank_related(
        ties, change.changed_files, max_files=max_files, token_budget=token_budget
    )
    return ContextMap(
        symbols=found.symbols,
        imports=tuple(found.edges.imports[:MAX_IMPORTS]),
        importers=tuple(found.edges.importers[:MAX_IMPORTS]),
        references=tuple(found.references[:MAX_REFERENCES]),
        callees=tuple(_callees(found.called, repository.head)),
        overridden=tuple(_overridden(found.symbols, ties.sources, repository.head)),
        related_files=tuple(related),
        tests=tuple(_covering_tests(ties)),
        commits=change.commits,
        origins=tuple(found.origins),
        left_out=(
            *_not_reviewed(change),
            *_not_read(readers.imports(repository.head)),
            *found.left_out,
            *not_fitting,
            *_cut(found.edges, found.references),
        ),
    )


def _find(change: Change, repository: GitRepository, readers: CodeReaders) -> _Gathered:
    with ThreadPoolExecutor(4) as pool:
        # Git reads history and documents in processes of its own while the code is read here.
        asked_origins = pool.submit(find_origins, change, repository)
        asked_companions = pool.submit(find_companions, change, repository)
        asked_documents = pool.submit(_documents, change, repository.head)
        asked_texts = pool.submit(find_shared_texts, change, repository)
        reviewed = change.model_copy(update={"files": tuple(change.reviewed_files())})
        symbols = tuple(symbol_changes(reviewed, repository))
        edges = _edges(change, repository, readers)
        references, not_followed = _references(symbols, repository, readers)
        called, not_sought = _called(change, repository.head, readers)
        documents, not_searched = asked_documents.result()
        origins, not_blamed = asked_origins.result()
        companions, not_logged = asked_companions.result()
        texts, not_compared = asked_texts.result()
    left_out = [*not_followed, *not_sought, *not_searched, *not_blamed, *not_logged, *not_compared]
    return _Gathered(symbols, edges, references, documents, companions, texts, called, origins, left_out)


def _called(change: Change, head: Tree, readers: CodeReaders) -> tuple[list[Called], list[str]]:
    imports = readers.imports(head)
    definer = definer_of(imports, head)
    return find_called(change, head, imports, definer)


def _tie(found: _Gathered, change: Change, repository: GitRepository, readers: CodeReaders) -> Ties:
    sources = _sources(found.symbols, found.edges, repository, readers)
    return Ties(
        references=found.references,
        imports=_of_the_product(found.edges.imports, change),
        importers=found.edges.importers,
        tests=_namesakes(change, repository.head),
        documents=found.documents,
        companions=found.companions,
        texts=_not_followed_yet(found.texts, found.symbols),
        fates={symbol.qualified: one.fate for one in found.symbols for symbol in _followed(one)},
        sources=sources,
        called=found.called,
        near=_near(found.edges, sources, readers.imports(repository.head)),
        holds_tests=_tests_in(repository.head),
    )


def _not_followed_yet(texts: Sequence[SharedText], symbols: Sequence[SymbolChange]) -> list[SharedText]:
    """Leave out the names of changed symbols: the references know who uses those."""
    names = {symbol.name for one in symbols for symbol in (one.base, one.head) if symbol is not None}
    return [one for one in texts if one.changed.text not in names]


def _edges(change: Change, repository: GitRepository, readers: CodeReaders) -> _Edges:
    head = readers.imports(repository.head)
    files = change.reviewed_files()
    paths = [file.head_path for file in files if file.head_path]
    imports = [one for path in paths for one in head.imports_of(path)]
    importers = [one for path in paths for one in head.importers_of(path)]
    gone = [file for file in files if file.base_path and file.base_path != file.head_path]
    if gone:
        importers += _importers_of_gone(gone, repository, readers.imports(repository.base))
    return _Edges(imports, sorted(set(importers), key=lambda one: (one.path, one.line, one.name)))


def _importers_of_gone(files: Sequence[FileChange], repository: GitRepository, base: Imports) -> list[Import]:
    """Return who imported, before the change, the files that it removes."""
    found = [one for file in files for one in base.importers_of(file.base_path or "")]
    return [one for one in found if repository.head.entry(one.path) is not None]


def _sources(
    symbols: Sequence[SymbolChange], edges: _Edges, repository: GitRepository, readers: CodeReaders
) -> list[Source]:
    """Return what the product builds on; what tests build on says little about the change."""
    head = repository.head
    changes = [one for one in symbols if one.head and not is_test(one.head.path)]
    imported = [one for one in edges.imports if not is_test(one.path)]
    return find_sources(changes, imported, readers.imports(head), head)


def _callees(called: Sequence[Called], head: Tree) -> Iterator[Symbol]:
    """The definitions of what the changed lines call, where it is known which is meant."""
    known = [one for one in called if one.definers == 1]
    for one in list(dict.fromkeys((each.path, each.name) for each in known))[:MAX_CALLEES]:
        symbols = symbols_of(head, one[0])
        yield from [symbol for symbol in symbols if symbol.name == one[1]][:1]


def _overridden(symbols: Sequence[SymbolChange], sources: Sequence[Source], head: Tree) -> Iterator[Symbol]:
    """The methods of the bases of changed classes that have the name of a changed method."""
    changed = {one.head.name for one in symbols if one.head and "." in one.head.qualified}
    for source in dict.fromkeys((one.path, one.name) for one in sources if one.heir):
        for symbol in symbols_of(head, source[0]):
            if symbol.name in changed and symbol.qualified == f"{source[1]}.{symbol.name}":
                yield symbol


def _of_the_product(imports: Sequence[Import], change: Change) -> list[Import]:
    """Leave out imports of tests, unless the change consists of tests."""
    if all(is_test(file.path) for file in change.files):
        return list(imports)
    return [one for one in imports if not is_test(one.path)]


def _near(edges: _Edges, sources: Sequence[Source], imports: Imports) -> frozenset[str]:
    """Return direct and second importers, importers of base classes, and what the change imports."""
    direct = {one.path for one in edges.importers}
    bases = {one.path for one in sources if one.heir}
    # A file that half of the repository imports ties nothing together.
    passing = direct if len(direct) <= MAX_PASSING else set[str]()
    further = {one.path for path in (*passing, *bases) for one in imports.importers_of(path)}
    imported = {one.target for one in edges.imports if one.target}
    return frozenset(direct | bases | further | imported)


def _references(
    symbols: Sequence[SymbolChange], repository: GitRepository, readers: CodeReaders
) -> tuple[list[Reference], list[str]]:
    followed = _symbols_to_follow(symbols)
    left_out = []
    if len(followed) > MAX_FOLLOWED_SYMBOLS:
        rest = len(followed) - MAX_FOLLOWED_SYMBOLS
        left_out.append(f"uses of {rest} more changed symbols were not looked for")
    if not followed:
        return [], left_out
    tree = repository.head
    found, not_found = readers.find_references(followed[:MAX_FOLLOWED_SYMBOLS], tree, readers.imports(tree))
    ordered = sorted(
        found, key=lambda one: (CERTAINTIES.index(one.certainty), one.path, one.line, one.symbol)
    )
    return ordered, [*left_out, *not_found]


def _symbols_to_follow(symbols: Sequence[SymbolChange]) -> list[Symbol]:
    """Return the symbols whose users may notice, the hardest hit first, without classes of members."""
    touched = {symbol for one in symbols if one.fate == "touched" for symbol in _followed(one)}
    holders = {holder for one in symbols for symbol in (one.base, one.head) if (holder := _holder(symbol))}
    ordered = [
        symbol for fate in FATES_BY_WEIGHT for one in symbols if one.fate == fate for symbol in _followed(one)
    ]
    return [
        symbol
        for symbol in ordered
        if not _PROTOCOL_NAME.fullmatch(symbol.name)
        and (symbol not in touched or (symbol.path, symbol.qualified) not in holders)
    ]


def _holder(member: Symbol | None) -> tuple[str, str] | None:
    """Return the class of a member; none for a constructor, which is called by the name of its class."""
    if member is None or "." not in member.qualified or _PROTOCOL_NAME.fullmatch(member.name):
        return None
    return member.path, member.qualified.rsplit(".", 1)[0]


def _followed(change: SymbolChange) -> list[Symbol]:
    """Return the symbol that others know: the old one if it was removed or renamed."""
    if change.fate in ("removed", "renamed"):
        return [change.base] if change.base else []
    return [change.head] if change.head else []


def _documents(change: Change, tree: Tree) -> tuple[list[tuple[str, SearchHit]], list[str]]:
    """Lines of documents that name a changed file by its path."""
    endings = sorted({path.rsplit(".", 1)[-1] for path in tree.entries() if _is_document(path)})
    named = [
        path
        for path in sorted(change.changed_files)
        if "/" in path and "\\E" not in path and "\n" not in path
    ]
    if not endings or not named:
        return [], []
    pattern = "|".join(rf"\Q{path}\E" for path in named[:MAX_DOCUMENTED_PATHS])
    try:
        hits = tree.search(pattern, [f"*.{ending}" for ending in endings], max_hits=MAX_DOCUMENT_HITS)
    except (InputError, GitError) as error:
        return [], [f"documents that name the changed files could not be searched for: {error}"]
    return [(path, hit) for hit in hits for path in named if path in hit.text], []


def _is_document(path: str) -> bool:
    return "." in path and is_document(path) and path.rsplit(".", 1)[-1].isalnum()


def _namesakes(change: Change, tree: Tree) -> dict[str, list[str]]:
    """Each test that is named after changed files, and those files."""
    tests = NamesakeTests(tree.entries())
    found: dict[str, list[str]] = {}
    for file in change.reviewed_files():
        for test in [] if is_test(file.path) else tests.of(file.path):
            found.setdefault(test, []).append(file.path)
    return found


def _covering_tests(ties: Ties) -> list[str]:
    """Tests that use a changed symbol, import a changed file or are named after one; the surest first."""
    using = [one.path for one in ties.references if one.certainty != "possible"]
    importing = [one.path for one in ties.importers]
    return [
        path
        for path in dict.fromkeys([*using, *importing, *ties.tests])
        if path in ties.tests or ties.holds_tests(path)
    ]


def _tests_in(tree: Tree) -> Callable[[str], bool]:
    """Whether a file of a tree has tests in it: its name says so, or it is test code and its text does."""
    return cache(lambda path: is_test(path) and (is_named_test(path) or has_tests(path, tree.read(path))))


def _not_reviewed(change: Change) -> list[str]:
    counts = Counter(file.skipped for file in change.files if file.skipped is not None)
    return [f"{count} changed files were not read: {reason}" for reason, count in counts.items()]


def _not_read(imports: Imports) -> list[str]:
    if not imports.skipped:
        return []
    named = ", ".join(imports.skipped[:3])
    return [f"what {len(imports.skipped)} files import could not be read: {named}"]


def _cut(edges: _Edges, references: Sequence[Reference]) -> list[str]:
    rows = (
        (len(references), MAX_REFERENCES, "references"),
        (len(edges.imports), MAX_IMPORTS, "imports"),
        (len(edges.importers), MAX_IMPORTS, "importers"),
    )
    return [f"{count - limit} more {noun} are not listed" for count, limit, noun in rows if count > limit]
