"""Which files an analyser was seen to read, and why not the others: from what it printed to their names."""

from collections.abc import Callable
from dataclasses import dataclass, field

from affidavit.records.evidence import WhyUnread

Faults = dict[str, tuple[WhyUnread, str]]
"""Files that were not read, with the reason and what the tool said."""


@dataclass(frozen=True)
class Printed:
    """What a run left behind: its result, what it said beside, and its own list of files if asked for one."""

    output: str
    errors: str
    exit_code: int
    listing: str = ""


@dataclass(frozen=True)
class Reading:
    """What was read and what was not, with paths as printed.

    `read` is None where every file was handed over by name and the run ends in an error if one of them
    cannot be opened.
    """

    read: frozenset[str] | None = None
    unread: Faults = field(default_factory=dict)
    others: tuple[WhyUnread, str] | None = None
    """Why any other file was not read, where the tool has but one reason."""
    is_log: bool = False
    """What was read stands in lines among others, in which text of files may stand too."""


ReadFiles = Callable[[Printed], Reading]
"""Raises ValueError where what was printed says that not every file was read, and not which."""


def read_every_named_file(_printed: Printed) -> Reading:
    """For a tool that gets its files by name and fails where it cannot open one."""
    return Reading()


def read_nothing_for_certain(_printed: Printed) -> Reading:
    """For a tool that looks for its files by itself and does not say which it found."""
    return Reading(read=frozenset(), others=("unknown", "it does not say which files it read"))


def lines_after(mark: str, text: str, end: str = "") -> frozenset[str]:
    """What stands behind the mark, in each line that has it."""
    rest = (line.rstrip("\r").partition(mark)[2] for line in text.split("\n") if mark in line)
    return frozenset(one.removesuffix(end) for one in rest)


@dataclass(frozen=True)
class Canary:
    """A line that is added to the end of each file, which the analyser must report if it read the file.

    Files with a canary are laid out under numbers, so that no name makes the analyser leave one out; their
    names stand in the line above it, and are read there.
    """

    rule: str
    line: bytes

    def added_to(self, content: bytes, path: str) -> bytes:
        """The content with its name and the canary below it."""
        return b"\n".join((content, as_line(path), self.line, b""))

    def line_in(self, content: bytes) -> int:
        """The number of the canary's line."""
        return self.name_in(content) + 1

    def name_in(self, content: bytes) -> int:
        """The number of the line with the name."""
        return content.count(b"\n") + 2


def as_line(path: str) -> bytes:
    """A name as one line of text."""
    return path.replace("\n", " ").encode("utf-8", "replace")
