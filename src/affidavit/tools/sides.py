"""The two sides of a change as every tool reads them: paths to files, files to lines, without secrets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from affidavit.errors import InputError
from affidavit.languages.registry import language_of
from affidavit.ports import Repository, Tree
from affidavit.records.change import Change
from affidavit.records.record import Side
from affidavit.references.readers import CodeReaders
from affidavit.tools.arguments import shown
from affidavit.tools.lookup import find_file

MAX_SKIP = 10_000

Answer = dict[str, Any]


@dataclass(frozen=True)
class Sides:
    """What the tools read: the redacted trees of a change, and what reads code in them."""

    repository: Repository
    change: Change
    readers: CodeReaders

    def tree(self, side: Side) -> Tree:
        """One side."""
        return self.repository.side(side)

    def file(self, path: str, side: Side) -> str:
        """The path of a file of that side; raises InputError with what to write instead."""
        return find_file(path, side, self.change, self.repository)

    def file_or_any(self, file_path: str | None, side: Side) -> tuple[str | None, str]:
        """The file; where there is none of that path, any file will do, and the note says so."""
        if file_path is None:
            return None, ""
        try:
            return self.file(file_path, side), ""
        except InputError as error:
            return None, f"{error}; so these are the uses of what has that name in any file"

    def text(self, file_path: str, side: Side) -> tuple[str, list[str]]:
        """A file's path and its lines."""
        path = self.file(file_path, side)
        lines = self.tree(side).lines(path)
        if lines is None:
            raise InputError(f"{shown(path)} cannot be read as text: it is binary or larger than 5 MB")
        return path, lines

    def language(self, path: str, side: Side, lines: Sequence[str]) -> str:
        """What a file is written in."""
        file = self.change.file_at(path, side)
        return (file.language if file else "") or language_of(path, lines[0] if lines else "")


def checked_skip(skip: int) -> int:
    """How many results to leave out; raises InputError where that is no such number."""
    if not 0 <= skip <= MAX_SKIP:
        raise InputError(f"skip is a number from 0 to {MAX_SKIP}: ask for something narrower instead")
    return skip


def with_note(answer: Mapping[str, Any], *notes: str) -> Answer:
    """The answer as the format has it, and `note` only where there is something to say."""
    said = "; ".join(note for note in notes if note)
    return {**answer, "note": said} if said else dict(answer)
