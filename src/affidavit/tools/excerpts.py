"""Cut the answers of tools to a size that models can take, and say what was cut."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from affidavit.errors import InputError
from affidavit.git.grep import TOKEN
from affidavit.languages.registry import language_of
from affidavit.ports import Repository, Tree
from affidavit.records.change import Change
from affidavit.records.record import Side
from affidavit.symbols.readers import CodeReaders
from affidavit.tools.arguments import Answer, shown
from affidavit.tools.lookup import find_file

MAX_SKIP = 10_000


@dataclass(frozen=True)
class ChangeSides:
    """The redacted trees of a change, and the readers of code in them."""

    repository: Repository
    change: Change
    readers: CodeReaders

    def tree(self, side: Side) -> Tree:
        return self.repository.side(side)

    def file(self, path: str, side: Side) -> str:
        """Return the path of a file of that side; raise InputError with what to write instead."""
        return find_file(path, side, self.change, self.repository)

    def file_or_any(self, file_path: str | None, side: Side) -> tuple[str | None, str]:
        """Return the file; if there is none of that path, None (any file will do) and a note."""
        if file_path is None:
            return None, ""
        try:
            return self.file(file_path, side), ""
        except InputError as error:
            return None, f"{error}; so these are the uses of what has that name in any file"

    def text(self, file_path: str, side: Side) -> tuple[str, list[str]]:
        path = self.file(file_path, side)
        lines = self.tree(side).lines(path)
        if lines is None:
            raise InputError(f"{shown(path)} cannot be read as text: it is binary or larger than 5 MB")
        return path, lines

    def language(self, path: str, side: Side, lines: Sequence[str]) -> str:
        file = self.change.file_at(path, side)
        return (file.language if file else "") or language_of(path, lines[0] if lines else "")


def checked_skip(skip: int) -> int:
    """Return how many results to leave out; raise InputError if that is too many."""
    if not 0 <= skip <= MAX_SKIP:
        raise InputError(f"skip is a number from 0 to {MAX_SKIP}: ask for something narrower instead")
    return skip


def with_note(answer: Mapping[str, Any], *notes: str) -> Answer:
    """Return the answer, with a `note` on the first line if there is something to note."""
    said = "; ".join(note for note in notes if note)
    return {"note": said, **answer} if said else dict(answer)


MAX_LINES = 500
MAX_CHARACTERS = 40_000
MAX_LINE_CHARACTERS = 500
MIN_LINE_CHARACTERS = 60
MAX_CONTEXT_LINES = 5

Row = TypeVar("Row")


@dataclass(frozen=True)
class Excerpt:
    """Numbered lines up to `last`, and what was cut inside them."""

    text: str
    last: int
    note: str = ""
    is_full: bool = False
    """Whether it has as many lines as allowed."""


def clipped(line: str) -> str:
    """Cut a long line, but never within a token: half of a secret looks like other text."""
    if len(line) <= MAX_LINE_CHARACTERS:
        return line
    end = MAX_LINE_CHARACTERS
    while end > MIN_LINE_CHARACTERS and TOKEN.match(line, end - 1) and TOKEN.match(line, end):
        end -= 1
    if end == MIN_LINE_CHARACTERS:
        end = MAX_LINE_CHARACTERS
    return f"{line[:end]}… ({len(line) - end} more characters)"


def numbered_lines(lines: Sequence[str], first: int, last: int) -> Excerpt:
    """Write `10: def …` for each line from first to last, as many as fit."""
    rows: list[str] = []
    size = 0
    is_clipped = False
    for number in range(first, min(last, first + MAX_LINES - 1, len(lines)) + 1):
        if number < 1:
            continue
        row = f"{number}: {clipped(lines[number - 1])}"
        size += len(row) + 1
        if rows and size > MAX_CHARACTERS:
            break
        is_clipped |= len(lines[number - 1]) > MAX_LINE_CHARACTERS
        rows.append(row)
    note = f"lines longer than {MAX_LINE_CHARACTERS} characters are cut" if is_clipped else ""
    is_full = len(rows) == MAX_LINES
    return Excerpt("\n".join(rows), first + len(rows) - 1 if rows else last, note, is_full)


def lines_around(lines: Sequence[str], matches: Mapping[int, str], reach: int) -> list[str]:
    """Write `10: …` for each match, `9- …` for each neighbour, and `--` where lines are left out."""
    numbers = {number for match in matches for number in range(match - reach, match + reach + 1)}
    rows: list[str] = []
    before = 0
    for number in sorted(number for number in numbers if number in matches or 1 <= number <= len(lines)):
        if rows and number > before + 1:
            rows.append("--")
        shown = matches.get(number)
        rows.append(f"{number}- {clipped(lines[number - 1])}" if shown is None else f"{number}: {shown}")
        before = number
    return rows


def page_of(found: Sequence[Row], skip: int, limit: int, noun: str, advice: str) -> tuple[list[Row], str]:
    """Return one page of the results, and how to get the next one."""
    page = list(found[skip : skip + limit])
    if found and not page:
        return page, f"there are only {len(found)} {noun}: use a smaller skip"
    if skip + limit >= len(found):
        return page, ""
    reach = skip + len(page)
    return page, f"only {noun} {skip + 1} to {reach} are shown; {advice} ask again with skip {reach}".replace(
        "  ", " "
    )
