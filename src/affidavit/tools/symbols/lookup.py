"""From a name that a model wrote to the definitions it may mean and to the places that use them."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from affidavit.errors import InputError
from affidavit.languages.registry import grammar_of
from affidavit.ports import Tree
from affidavit.records.context import Reference, Symbol
from affidavit.records.record import Side
from affidavit.references.find import CERTAINTIES
from affidavit.references.readers import CodeReaders
from affidavit.tools.arguments import shown
from affidavit.tools.excerpts import clipped

MAX_NAME = 300
MAX_HITS = 10_000
MAX_FILES_READ = 300
MAX_DEFINITIONS = 5
_SEPARATORS = re.compile(r"::|->|[.#\\]")
_NAME = re.compile(r"[^\W\d]\w*[!?]?")


def last_name(symbol: str) -> str:
    """`total` of `Cart.total`, `Cart::total`, `Cart#total` or `total()`."""
    return _names(symbol)[-1]


def _names(symbol: str) -> list[str]:
    plain = symbol.strip().removesuffix("()")
    names = _SEPARATORS.split(plain)
    if len(plain) > MAX_NAME or not all(_NAME.fullmatch(name) for name in names):
        raise InputError(
            f"{shown(symbol)} is not a name: give one such as 'total' or 'Cart.total', without arguments"
        )
    return names


def find_definitions(symbol: str, tree: Tree, readers: CodeReaders) -> tuple[list[Symbol], list[str]]:
    """The definitions of that name, those whose class or module fits first; and what was not looked at."""
    names = _names(symbol)
    paths, was_cut = _code_naming(names[-1], tree)
    if len(names) > 1:
        # Many files may have a common method's name; few of them also name its class.
        owners = set(_code_naming(names[-2], tree)[0])
        paths.sort(key=lambda path: path not in owners)
    notes = []
    if len(paths) > MAX_FILES_READ or was_cut:
        notes.append(
            f"the name is so common that only {min(len(paths), MAX_FILES_READ)} files were looked at"
        )
    found = [
        one
        for path in paths[:MAX_FILES_READ]
        for one in readers.symbols_of(tree, path)
        if one.name == names[-1]
    ]
    fitting = [one for one in found if _fits(one, names)]
    if found and not fitting:
        notes.append(f"no {'.'.join(names)} was found, only others called {names[-1]}")
    return fitting or found, notes


def _code_naming(name: str, tree: Tree) -> tuple[list[str], bool]:
    """The files of code that have the name, and whether there are more."""
    hits = tree.search(name, is_literal=True, is_word=True, max_hits=MAX_HITS)
    paths = dict.fromkeys(hit.path for hit in hits)
    return [path for path in paths if grammar_of(path)], len(hits) == MAX_HITS


def _fits(symbol: Symbol, names: Sequence[str]) -> bool:
    """The wanted names end the definition's own: module and folder names may lead them."""
    place = [*re.split(r"[/.]", symbol.path)[:-1], *symbol.qualified.split(".")]
    return place[-len(names) :] == list(names)


class Use(NamedTuple):
    """A place that uses a name; the line may not be known."""

    path: str
    line: int | None
    name: str


def meant_by(
    use: Use, found: Sequence[Symbol], tree: Tree, readers: CodeReaders
) -> tuple[list[Symbol], dict[str, Any]]:
    """The definitions with the one that the use means first, and how that is known."""
    known = readers.resolve(tree, use.path, use.line, use.name) if use.line is not None else None
    if known is not None:
        meant = [one for one in found if (one.path, one.line) in known.places]
        extra = {"type": clipped(known.type)} if known.type else {}
        if meant:
            extra["meant"] = f"the first, as {known.resolved_by} resolves it"
        return [*meant, *(one for one in found if one not in meant)], extra
    near = {use.path, *(one.target for one in readers.imports(tree).imports_of(use.path) if one.target)}
    likely = [one for one in found if one.path in near]
    extra = {"meant": f"likely the first: {use.path} defines or imports it"} if len(likely) == 1 else {}
    return [*likely, *(one for one in found if one not in likely)], extra


def references_to(
    symbol: str, path: str | None, tree: Tree, side: Side, readers: CodeReaders
) -> tuple[list[Reference], list[str]]:
    """Who uses the symbol; where nothing defines it, the lines that name it, as possible references."""
    found, notes = find_definitions(symbol, tree, readers)
    chosen = [one for one in found if path in (None, one.path)]
    if not chosen:
        where = f" in {path}" if path else ""
        notes.append(f"no definition of {symbol.strip()} was found{where}; these are the lines that name it")
        return _lines_naming(last_name(symbol), tree, side), notes
    if len(chosen) > MAX_DEFINITIONS:
        notes.append(
            f"{len(chosen)} definitions have that name, and the first {MAX_DEFINITIONS} were followed; "
            "give file_path to choose one"
        )
        chosen = chosen[:MAX_DEFINITIONS]
    references, left_out = readers.find_references(chosen, tree, readers.imports(tree))
    return _one_a_line(references), [*notes, *left_out]


def _one_a_line(references: Iterable[Reference]) -> list[Reference]:
    """The surest first; classes may share a name, and of one line for several of them the surest counts."""
    best: dict[tuple[str, int], Reference] = {}
    for one in references:
        known = best.setdefault((one.path, one.line), one)
        if CERTAINTIES.index(one.certainty) < CERTAINTIES.index(known.certainty):
            best[one.path, one.line] = one
    return sorted(best.values(), key=lambda one: (CERTAINTIES.index(one.certainty), one.kind == "text"))


def _lines_naming(name: str, tree: Tree, side: Side) -> list[Reference]:
    return [
        Reference(
            symbol=name,
            path=hit.path,
            line=hit.line,
            text=hit.text,
            kind="text",
            side=side,
            verification_method=f"searched for the word {name}",
            certainty="possible",
        )
        for hit in tree.search(name, is_literal=True, is_word=True, max_hits=1000)
    ]


def definition_row(symbol: Symbol, *, with_path: bool = True) -> dict[str, Any]:
    """A definition as a tool answers it."""
    place = {"file_path": symbol.path} if with_path else {}
    return {
        **place,
        "name": symbol.qualified,
        "kind": symbol.kind,
        "start_line": symbol.line,
        "end_line": symbol.end_line,
        "signature": clipped(symbol.signature),
    }


def reference_row(reference: Reference) -> dict[str, Any]:
    """A reference as a tool answers it."""
    within = {"within": reference.within} if reference.within else {}
    return {
        "file_path": reference.path,
        "line_number": reference.line,
        "line": clipped(reference.text),
        "kind": reference.kind,
        **within,
        "certainty": reference.certainty,
        "verification_method": reference.verification_method,
    }
