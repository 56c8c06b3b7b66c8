"""A bug that may be planted: the edits that make it, and what is wrong once they are made."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from affidavit.lab.mutation.ground import Ground
from affidavit.records.finding import Category, Severity


@dataclass(frozen=True)
class Edit:
    """One replacement of bytes; without a text it is a removal."""

    start: int
    end: int
    text: bytes = b""


@dataclass(frozen=True)
class Proposal:
    """What an operator offers at one place.

    The bug stands where the first edit is made; with `is_spread`, from there to the last edit.
    """

    edits: tuple[Edit, ...]
    description: str
    category: Category | None = None
    """Where the place decides the category rather than the operator."""
    is_spread: bool = False


@dataclass(frozen=True)
class Operator:
    """One way to break code: its name, what kind of bug it makes, and where it can."""

    name: str
    category: Category
    severity: Severity
    families: frozenset[str]
    propose: Callable[[Ground], Iterable[Proposal]]


@dataclass(frozen=True)
class Mutant:
    """A file with one bug in it, and where the bug stands in the new text."""

    operator: str
    category: Category
    severity: Severity
    path: str
    text: bytes
    line: int
    end_line: int
    description: str
    before: str
    """The lines of the place as the commit has them."""


def mutants(operator: Operator, ground: Ground) -> Iterator[Mutant]:
    """Every bug that an operator can plant in a file."""
    if ground.family not in operator.families:
        return
    for proposal in operator.propose(ground):
        text = apply_edits(ground.text, proposal.edits)
        if text == ground.text:
            continue
        line, end_line = _place(text, proposal)
        yield Mutant(
            operator=operator.name,
            category=proposal.category or operator.category,
            severity=operator.severity,
            path=ground.path,
            text=text,
            line=line,
            end_line=end_line,
            description=proposal.description,
            before=_lines_around(ground.text, proposal.edits[0]),
        )


def apply_edits(text: bytes, edits: Iterable[Edit]) -> bytes:
    """The text with all edits made; they must not overlap."""
    parts: list[bytes] = []
    at = 0
    for edit in sorted(edits, key=lambda one: one.start):
        if edit.start < at:
            raise ValueError("two edits overlap")
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return b"".join([*parts, text[at:]])


def _place(text: bytes, proposal: Proposal) -> tuple[int, int]:
    """First and last line of the bug in the new text; what is removed stands where the next line is now."""
    edit, *others = proposal.edits
    last = max(1, text.rstrip(b"\n").count(b"\n") + 1)
    first = text.count(b"\n", 0, edit.start) + 1
    end = first + edit.text.rstrip(b"\n").count(b"\n")
    if proposal.is_spread and others:
        moved = sum(len(one.text) - (one.end - one.start) for one in proposal.edits[:-1])
        end = text.count(b"\n", 0, others[-1].start + moved) + 1
    return min(first, last), min(end, last)


def _lines_around(text: bytes, edit: Edit) -> str:
    start = text.rfind(b"\n", 0, edit.start) + 1
    # What is removed by whole lines ends with a line feed: the line after it is not part of the place.
    end = text.find(b"\n", max(edit.start, edit.end - 1))
    return text[start : end if end >= 0 else len(text)].decode("utf-8", "replace")
