"""Make the map of a change: what it touches, what depends on it, who wrote the lines."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import NamedTuple

from affidavit.context.history import Companion, find_companions, find_origins
from affidavit.context.relevance import MAX_RELATED, TOKEN_BUDGET, Ties, rank_related
from affidavit.context.sources import Base, Called, find_bases, find_called
from affidavit.context.texts import SharedText, find_shared_texts
from affidavit.errors import GitError, InputError
from affidavit.git.repository import GitRepository
from affidavit.languages.registry import is_document
from affidavit.languages.test_files import NamesakeTests, has_tests, is_named_test, is_test
from affidavit.ports import Tree
from affidavit.records.change import Change
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
MAX_CALLEES = 60
FATES_BY_WEIGHT: tuple[SymbolFate, ...] = ("removed", "renamed", "signature_changed", "touched")
# Methods that are not called by name: constructors, operators, iteration.
_PROTOCOL_NAME = re.compile(r"__\w+__|constructor|initialize")
CERTAINTIES = ("certain", "likely", "possible")


class _Beside(NamedTuple):
    """The results of git processes that run while this process reads code."""

    origins: list[BlameOrigin]
    companions: list[Companion]
    documents: list[tuple[str, SearchHit]]
    texts: list[SharedText]
    missed: list[str]


def _start_beside(
    pool: ThreadPoolExecutor, change: Change, repository: GitRepository
) -> Callable[[], _Beside]:
    """Start to search history and documents; return a function that waits for the results."""
    asked_origins = pool.submit(find_origins, change, repository)
    asked_companions = pool.submit(find_companions, change, repository)
    asked_documents = pool.submit(_documents, change, repository.head)
    asked_texts = pool.submit(find_shared_texts, change, repository)

    def finish() -> _Beside:
        origins, not_blamed = asked_origins.result()
        companions, not_logged = asked_companions.result()
        documents, not_searched = asked_documents.result()
        texts, not_compared = asked_texts.result()
        missed = [*not_searched, *not_blamed, *not_logged, *not_compared]
        return _Beside(origins, companions, documents, texts, missed)

    return finish


def gather_context(
    change: Change,
    repository: GitRepository,
    readers: CodeReaders,
    *,
    max_files: int = MAX_RELATED,
    token_budget: int = TOKEN_BUDGET,
) -> ContextMap:
    """Return the map of a change; `left_out` says what did not fit or could not be read."""
    head = repository.head
    with ThreadPoolExecutor(4) as pool:
        finish = _start_beside(pool, change, repository)
        graph = readers.imports(head)
        symbols = tuple(symbol_changes(change, repository))
        imports, importers = _edges(change, repository, readers)
        references, not_followed = _references(symbols, head, readers)
        called, not_sought = find_called(change, head, graph)
        bases = find_bases(symbols, graph, head)
        beside = finish()
    ties = Ties(
        references=references,
        imports=_of_the_product(imports, change),
        importers=importers,
        tests=_namesakes(change, head),
        documents=beside.documents,
        companions=beside.companions,
        texts=_not_followed_yet(beside.texts, symbols),
        fates={symbol.qualified: one.fate for one in symbols for symbol in _followed(one)},
        bases=bases,
        called=called,
        holds_tests=_tests_in(head),
    )
    related, not_fitting = rank_related(
        ties, change.changed_files, max_files=max_files, token_budget=token_budget
    )
    missed = [*_not_reviewed(change), *_not_read(graph), *not_followed, *not_sought, *beside.missed]
    return ContextMap(
        symbols=symbols,
        imports=tuple(imports[:MAX_IMPORTS]),
        importers=tuple(importers[:MAX_IMPORTS]),
        references=tuple(references[:MAX_REFERENCES]),
        callees=tuple(_callees(called, head)),
        overridden=tuple(_overridden(symbols, bases, head)),
        related_files=tuple(related),
        tests=tuple(_covering_tests(ties)),
        commits=change.commits,
        origins=tuple(beside.origins),
        left_out=(*missed, *not_fitting, *_cut(imports, importers, references)),
    )


def _not_followed_yet(texts: Sequence[SharedText], symbols: Sequence[SymbolChange]) -> list[SharedText]:
    """Drop the names of changed symbols: their uses are among the references."""
    names = {symbol.name for one in symbols for symbol in (one.base, one.head) if symbol is not None}
    return [one for one in texts if one.changed.text not in names]


def _edges(
    change: Change, repository: GitRepository, readers: CodeReaders
) -> tuple[list[Import], list[Import]]:
    """Return the imports of the changed files, and the imports of them."""
    graph, files = readers.imports(repository.head), change.reviewed_files()
    paths = [file.head_path for file in files if file.head_path]
    imports = [one for path in paths for one in graph.imports_of(path)]
    importers = {one for path in paths for one in graph.importers_of(path)}
    gone = [file.base_path for file in files if file.base_path and file.base_path != file.head_path]
    if gone:
        before = readers.imports(repository.base)
        found = (one for path in gone for one in before.importers_of(path))
        importers |= {one for one in found if repository.head.entry(one.path) is not None}
    return imports, sorted(importers, key=lambda one: (one.path, one.line, one.name))


def _callees(called: Sequence[Called], head: Tree) -> Iterator[Symbol]:
    """Yield the definitions of what the changed lines call."""
    for path, name in list(dict.fromkeys((one.path, one.name) for one in called))[:MAX_CALLEES]:
        yield from [symbol for symbol in symbols_of(head, path) if symbol.name == name][:1]


def _overridden(symbols: Sequence[SymbolChange], bases: Sequence[Base], head: Tree) -> Iterator[Symbol]:
    """Yield the methods of base classes that have the name of a changed method."""
    changed = {one.head.name for one in symbols if one.head and "." in one.head.qualified}
    for path, name in dict.fromkeys((one.path, one.name) for one in bases):
        for symbol in symbols_of(head, path):
            if symbol.name in changed and symbol.qualified == f"{name}.{symbol.name}":
                yield symbol


def _of_the_product(imports: Sequence[Import], change: Change) -> list[Import]:
    """Leave out imports of tests, unless the change consists of tests."""
    if all(is_test(file.path) for file in change.files):
        return list(imports)
    return [one for one in imports if not is_test(one.path)]


def _references(
    symbols: Sequence[SymbolChange], tree: Tree, readers: CodeReaders
) -> tuple[list[Reference], list[str]]:
    followed = _symbols_to_follow(symbols)
    left_out = []
    if len(followed) > MAX_FOLLOWED_SYMBOLS:
        rest = len(followed) - MAX_FOLLOWED_SYMBOLS
        left_out.append(f"uses of {rest} more changed symbols were not looked for")
    if not followed:
        return [], left_out
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
    """Return the symbol that others use: the old one if it was removed or renamed."""
    if change.fate in ("removed", "renamed"):
        return [change.base] if change.base else []
    return [change.head] if change.head else []


def _documents(change: Change, tree: Tree) -> tuple[list[tuple[str, SearchHit]], list[str]]:
    """Find lines of documents that name a changed file by its path."""
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
    """Return each test that is named after changed files, with those files."""
    tests = NamesakeTests(tree.entries())
    found: dict[str, list[str]] = {}
    for file in change.reviewed_files():
        for test in [] if is_test(file.path) else tests.of(file.path):
            found.setdefault(test, []).append(file.path)
    return found


def _covering_tests(ties: Ties) -> list[str]:
    """Return tests that use a changed symbol, import a changed file or are named after one; surest first."""
    using = [one.path for one in ties.references if one.certainty != "possible"]
    importing = [one.path for one in ties.importers]
    return [
        path
        for path in dict.fromkeys([*using, *importing, *ties.tests])
        if path in ties.tests or ties.holds_tests(path)
    ]


def _tests_in(tree: Tree) -> Callable[[str], bool]:
    """Return a function that checks whether a file of a tree contains tests."""
    return cache(lambda path: is_test(path) and (is_named_test(path) or has_tests(path, tree.read(path))))


def _not_reviewed(change: Change) -> list[str]:
    counts = Counter(file.skipped for file in change.files if file.skipped is not None)
    return [f"{count} changed files were not read: {reason}" for reason, count in counts.items()]


def _not_read(imports: Imports) -> list[str]:
    if not imports.skipped:
        return []
    named = ", ".join(imports.skipped[:3])
    return [f"what {len(imports.skipped)} files import could not be read: {named}"]


def _cut(
    imports: Sequence[Import], importers: Sequence[Import], references: Sequence[Reference]
) -> list[str]:
    rows = (
        (len(references), MAX_REFERENCES, "references"),
        (len(imports), MAX_IMPORTS, "imports"),
        (len(importers), MAX_IMPORTS, "importers"),
    )
    return [f"{count - limit} more {noun} are not listed" for count, limit, noun in rows if count > limit]
