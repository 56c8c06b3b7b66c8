"""Provide the tools about names: who uses one, where it is defined, how its definition changed."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from affidavit.errors import InputError
from affidavit.languages.registry import grammar_of
from affidavit.ports import Tree
from affidavit.records.context import Reference, Symbol
from affidavit.records.record import Side
from affidavit.symbols.definitions import symbols_of
from affidavit.symbols.readers import CodeReaders
from affidavit.symbols.references import CERTAINTIES
from affidavit.tools.arguments import Answer, shown
from affidavit.tools.excerpts import (
    MAX_LINES,
    ChangeSides,
    checked_skip,
    clipped,
    numbered_lines,
    page_of,
    with_note,
)
from affidavit.tools.lookup import parse_side

MAX_NAME = 300
MAX_HITS = 10_000
MAX_FILES_READ = 300
MAX_DEFINITIONS = 5
_SEPARATORS = re.compile(r"::|->|[.#\\]")
_NAME = re.compile(r"[^\W\d]\w*[!?]?")


def last_name(symbol: str) -> str:
    """Return `total` for `Cart.total`, `Cart::total`, `Cart#total` and `total()`."""
    return _names(symbol)[-1]


def _names(symbol: str) -> list[str]:
    plain = symbol.strip().removesuffix("()")
    names = _SEPARATORS.split(plain)
    if len(plain) > MAX_NAME or not all(_NAME.fullmatch(name) for name in names):
        raise InputError(
            f"{shown(symbol)} is not a name: give one such as 'total' or 'Cart.total', without arguments"
        )
    return names


def find_definitions(symbol: str, tree: Tree) -> tuple[list[Symbol], list[str]]:
    """Return the definitions of a name, those of its class or module first; and what was not read."""
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
        one for path in paths[:MAX_FILES_READ] for one in symbols_of(tree, path) if one.name == names[-1]
    ]
    fitting = [one for one in found if _fits(one, names)]
    if found and not fitting:
        notes.append(f"no {'.'.join(names)} was found, only others called {names[-1]}")
    return fitting or found, notes


def _code_naming(name: str, tree: Tree) -> tuple[list[str], bool]:
    hits = tree.search(name, is_literal=True, is_word=True, max_hits=MAX_HITS)
    paths = dict.fromkeys(hit.path for hit in hits)
    return [path for path in paths if grammar_of(path)], len(hits) == MAX_HITS


def _fits(symbol: Symbol, names: Sequence[str]) -> bool:
    """Check whether the names end the full name of the definition, with its folders and module."""
    place = [*re.split(r"[/.]", symbol.path)[:-1], *symbol.qualified.split(".")]
    return place[-len(names) :] == list(names)


class Use(NamedTuple):
    """A place that uses a name; the line may not be known."""

    path: str
    line: int | None
    name: str


def resolve_use(
    use: Use, found: Sequence[Symbol], tree: Tree, readers: CodeReaders
) -> tuple[list[Symbol], dict[str, Any]]:
    """Put the definition that a use means first, and tell how that is known."""
    if readers.resolve is not None and use.line is not None:
        places, server = readers.resolve(tree, use.path, use.line, use.name)
        meant = [one for one in found if (one.path, one.line) in places]
        if meant:
            others = [one for one in found if one not in meant]
            return [*meant, *others], {"meant": f"the first, as {server} resolves it"}
    near = {use.path, *(one.target for one in readers.imports(tree).imports_of(use.path) if one.target)}
    likely = [one for one in found if one.path in near]
    extra = {"meant": f"likely the first: {use.path} defines or imports it"} if len(likely) == 1 else {}
    return [*likely, *(one for one in found if one not in likely)], extra


def references_to(
    symbol: str, path: str | None, tree: Tree, side: Side, readers: CodeReaders
) -> tuple[list[Reference], list[str]]:
    """Return the uses of a symbol; if nothing defines it, the lines that contain its name."""
    found, notes = find_definitions(symbol, tree)
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
    """Keep the surest reference of each line, and put the surest first."""
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


MAX_REFERENCES = 40
MAX_SYMBOLS = 200
MAX_SHOWN_LINES = 300
"""For all definitions of an answer together."""
SHORT_LINES = 12
"""Definitions up to this length are always shown, so that overloads can be compared."""
MAX_WHOLE = 3
MAX_COMPARED_LINES = 600
NEIGHBOURS = 3


@dataclass(frozen=True)
class SymbolTools:
    """`find_references`, `find_definition` and `compare_definition` over one change."""

    sides: ChangeSides

    def find_references(
        self, symbol: str, file_path: str | None = None, branch: str = "head", skip: int = 0
    ) -> Answer:
        """Return where a symbol is used, how each use was found and how sure it is."""
        side, skipped = parse_side(branch), checked_skip(skip)
        path, missing = self.sides.file_or_any(file_path, side)
        found, notes = references_to(symbol, path, self.sides.tree(side), side, self.sides.readers)
        page, note = page_of(found, skipped, MAX_REFERENCES, "references", "")
        rows = [reference_row(reference) for reference in page]
        return with_note({"symbol": symbol, "branch": side, "references": rows}, missing, note, *notes)

    def find_definition(
        self, symbol: str, file_path: str | None = None, line_number: int | None = None, branch: str = "head"
    ) -> Answer:
        """Return where a symbol is defined; the definition that a use means comes first."""
        side = parse_side(branch)
        tree = self.sides.tree(side)
        found, notes = find_definitions(symbol, tree)
        extra: Answer = {}
        if file_path is not None:
            use = Use(self.sides.file(file_path, side), line_number, last_name(symbol))
            found, extra = resolve_use(use, found, tree, self.sides.readers)
        page, cut = page_of(
            found, 0, MAX_SYMBOLS, "definitions", "write the name with its class, as in Cart.total, or"
        )
        whole = 1 if "meant" in extra else len(found) if len(found) <= MAX_WHOLE else 0
        rows = _rows_with_code(page, tree, whole)
        answer = {"symbol": symbol, "branch": side, "definitions": rows, **extra}
        nothing = (
            "" if found else f"no definition found; search for {shown(last_name(symbol))} as a whole word"
        )
        return with_note(answer, cut, nothing, *notes)

    def compare_definition(self, symbol: str, file_path: str | None = None) -> Answer:
        """Compare one definition at base and at head, line by line."""
        before, after, notes = self._pair(symbol, file_path)
        if before is None and after is None:
            raise InputError(
                f"no definition of {shown(symbol)} was found on either side: "
                f"search for {shown(last_name(symbol))} as a whole word"
            )
        old, new = self._lines(before, "base"), self._lines(after, "head")
        answer: Answer = {"symbol": symbol}
        for side, one in (("base", before), ("head", after)):
            answer[side] = definition_row(one) if one else None
        rows = numbered_diff(old, new, before.line if before else 1, after.line if after else 1)
        said = "" if rows or old != new else "the definition is the same on both sides"
        if before is None or after is None:
            said = f"only {'head' if before is None else 'base'} has this definition"
        answer["diff"] = "\n".join(rows[:MAX_LINES])
        cut = f"the diff is cut after {MAX_LINES} lines" if len(rows) > MAX_LINES else ""
        return with_note(answer, said, cut, *notes)

    def _pair(
        self, symbol: str, file_path: str | None
    ) -> tuple[Symbol | None, Symbol | None, tuple[str, ...]]:
        """Return the definition on both sides: preferably in changed files and with the same full name."""
        old, _ = find_definitions(symbol, self.sides.tree("base"))
        new, _ = find_definitions(symbol, self.sides.tree("head"))
        head = self._chosen(new, file_path, "head")
        base = self._chosen(old, file_path, "base", like=head)
        names = {(one.path, one.qualified) for one in (*old, *new)}
        chosen = {(one.path, one.qualified) for one in (base, head) if one}
        others = len(names - chosen) if file_path is None else 0
        note = f"{others} more definitions have that name; give file_path to choose" if others else ""
        return base, head, (note,)

    def _chosen(
        self, found: Sequence[Symbol], file_path: str | None, side: Side, like: Symbol | None = None
    ) -> Symbol | None:
        wanted = self._file_at(file_path, side)
        changed = {file.path_at(side) for file in self.sides.change.files}
        twin = self.sides.change.file_at(like.path) if like else None

        def distance(one: Symbol) -> tuple[bool | int, ...]:
            if like is None:
                return (one.path not in changed,)
            place = twin.path_at(side) if twin else like.path
            is_elsewhere, is_other = one.path != place, one.qualified != like.qualified
            return is_elsewhere, is_other, one.path not in changed, abs(one.line - like.line)

        return min((one for one in found if wanted in (None, one.path)), key=distance, default=None)

    def _file_at(self, file_path: str | None, side: Side) -> str | None:
        """Return the name of the file on that side; raise InputError if neither side has it."""
        if file_path is None:
            return None
        try:
            path = self.sides.file(file_path, "head")
            file = self.sides.change.file_at(path)
        except InputError:
            path = self.sides.file(file_path, "base")
            file = self.sides.change.file_at(path, "base")
        return (file.path_at(side) if file else path) or path

    def _lines(self, symbol: Symbol | None, side: Side) -> list[str]:
        if symbol is None:
            return []
        lines = self.sides.tree(side).lines(symbol.path) or []
        last = min(symbol.end_line, symbol.line + MAX_COMPARED_LINES - 1)
        return lines[symbol.line - 1 : last]


def _rows_with_code(symbols: Sequence[Symbol], tree: Tree, whole: int) -> list[Answer]:
    """Return the definitions, with the code of the meant and the short ones as far as it fits."""
    left = MAX_SHOWN_LINES
    rows = []
    for number, one in enumerate(symbols):
        size = one.end_line - one.line + 1
        is_read = left > 0 and (number < whole or size <= min(SHORT_LINES, left))
        rows.append(definition_row(one) | (_code_of(one, tree, left) if is_read else {}))
        left -= min(size, left) if is_read else 0
    return rows


def _code_of(symbol: Symbol, tree: Tree, most: int) -> Answer:
    lines = tree.lines(symbol.path) or []
    excerpt = numbered_lines(lines, symbol.line, min(symbol.end_line, symbol.line + most - 1))
    cut = f"\n(read on from line {excerpt.last + 1})" if excerpt.last < symbol.end_line else ""
    return {"content": excerpt.text + cut}


def numbered_diff(old: Sequence[str], new: Sequence[str], old_first: int, new_first: int) -> list[str]:
    """Write differences as `-10: …` and `+10: …` with neighbours as ` 10: …`; nothing if all is equal."""
    rows: list[str] = []
    for group in SequenceMatcher(None, old, new, autojunk=True).get_grouped_opcodes(NEIGHBOURS):
        rows += ["--"] if rows else []
        for tag, old_start, old_end, new_start, new_end in group:
            if tag == "equal":
                rows += [f" {new_first + at}: {clipped(new[at])}" for at in range(new_start, new_end)]
                continue
            rows += [f"-{old_first + at}: {clipped(old[at])}" for at in range(old_start, old_end)]
            rows += [f"+{new_first + at}: {clipped(new[at])}" for at in range(new_start, new_end)]
    return rows
