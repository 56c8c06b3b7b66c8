"""Define the plan of a review: the purpose of the change, who examines what, in which chunks."""

from typing import Literal

from pydantic import Field

from affidavit.records.record import Record


class Piece(Record):
    """Some lines of one hunk: `hunk` is its number in the file, `start` and `end` cut its lines."""

    path: str
    hunk: int
    start: int
    end: int


class Chunk(Record):
    """A part of the change that fits into one conversation."""

    number: int
    paths: tuple[str, ...]
    tokens: int
    pieces: tuple[Piece, ...] = ()
    """The shown pieces of files that do not fit whole; other files are shown whole."""

    def shown_of(self, path: str) -> tuple[Piece, ...] | None:
        """Return the pieces of a file: empty if it is shown whole, None if it is not shown."""
        if path not in self.paths:
            return None
        return tuple(piece for piece in self.pieces if piece.path == path)


class Plan(Record):
    """The goal of the change, and the questions to each specialist."""

    goal: str = ""
    approach: str = ""
    impact: str = ""
    questions: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Questions by specialist; specialists without an entry are not asked."""
    chunks: tuple[Chunk, ...] = ()
    not_shown: tuple[str, ...] = ()
    made_by: Literal["model", "code"] = "code"
