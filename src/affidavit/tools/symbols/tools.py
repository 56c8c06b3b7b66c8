"""The tools that know names: who uses one, where it is defined, what the change did to its definition."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from affidavit.errors import InputError
from affidavit.ports import Tree
from affidavit.records.context import Symbol
from affidavit.records.record import Side
from affidavit.tools.arguments import shown
from affidavit.tools.excerpts import MAX_LINES, clipped, numbered_lines, page_of
from affidavit.tools.lookup import side_named
from affidavit.tools.sides import Answer, Sides, checked_skip, with_note
from affidavit.tools.symbols.lookup import (
    Use,
    definition_row,
    find_definitions,
    last_name,
    meant_by,
    reference_row,
    references_to,
)

MAX_REFERENCES = 40
MAX_SYMBOLS = 200
MAX_SHOWN_LINES = 300
"""Of all definitions of an answer together."""
SHORT_LINES = 12
"""A definition of so few lines is shown even where many have its name: overloads are read side by side."""
MAX_WHOLE = 3
MAX_COMPARED_LINES = 600
NEIGHBOURS = 3


@dataclass(frozen=True)
class SymbolTools:
    """`find_references`, `find_definition` and `compare_definition` over one change."""

    sides: Sides

    def find_references(
        self, symbol: str, file_path: str | None = None, branch: str = "head", skip: int = 0
    ) -> Answer:
        """Where a symbol is used, how that was found and how sure it is."""
        side, skipped = side_named(branch), checked_skip(skip)
        path, missing = self.sides.file_or_any(file_path, side)
        found, notes = references_to(symbol, path, self.sides.tree(side), side, self.sides.readers)
        page, note = page_of(found, skipped, MAX_REFERENCES, "references", "")
        rows = [reference_row(reference) for reference in page]
        return with_note({"symbol": symbol, "branch": side, "references": rows}, missing, note, *notes)

    def find_definition(
        self, symbol: str, file_path: str | None = None, line_number: int | None = None, branch: str = "head"
    ) -> Answer:
        """Where a symbol is defined; the definition that a use means comes first."""
        side = side_named(branch)
        tree = self.sides.tree(side)
        found, notes = find_definitions(symbol, tree, self.sides.readers)
        extra: Answer = {}
        if file_path is not None:
            use = Use(self.sides.file(file_path, side), line_number, last_name(symbol))
            found, extra = meant_by(use, found, tree, self.sides.readers)
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
        """One definition at base and at head, line by line."""
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
        """The definition at base and at head: of the changed files first, and of one qualified name."""
        old, _ = find_definitions(symbol, self.sides.tree("base"), self.sides.readers)
        new, _ = find_definitions(symbol, self.sides.tree("head"), self.sides.readers)
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
        other = (twin.path_at(side) if twin else like.path) if like else None
        if wanted is not None:
            found = [one for one in found if one.path == wanted]
        if like is not None:
            found = [one for one in found if one.name == like.name]
        return min(
            found,
            key=lambda one: (
                one.path != other,
                bool(like) and one.qualified != like.qualified if like else False,
                one.path not in changed,
                abs(one.line - like.line) if like else 0,
            ),
            default=None,
        )

    def _file_at(self, file_path: str | None, side: Side) -> str | None:
        """The file under the name that it has on that side; a path that neither side has is refused."""
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
    """The definitions, with their code as far as it fits: those that are meant, and the short ones."""
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
    """What differs, as `-10: …` and `+10: …`, with its neighbours as ` 10: …`; nothing where all is equal."""
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
