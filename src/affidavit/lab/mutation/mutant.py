"""A bug that may be planted: the edits that make it, and what is wrong once they are made."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from affidavit.lab.mutation.ground import STRINGS, PlantingGround, descendants
from affidavit.records.finding import Category, Severity

PYTHON = frozenset({"python"})


@dataclass(frozen=True)
class ByteEdit:
    """One replacement of bytes; without a text it is a removal."""

    start: int
    end: int
    text: bytes = b""


@dataclass(frozen=True)
class Proposal:
    """What an operator offers at one place.

    The bug stands where the first edit is made; with `is_spread`, from there to the last edit.
    """

    edits: tuple[ByteEdit, ...]
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
    propose: Callable[[PlantingGround], Iterable[Proposal]]


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


def mutants(operator: Operator, ground: PlantingGround) -> Iterator[Mutant]:
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


def apply_edits(text: bytes, edits: Iterable[ByteEdit]) -> bytes:
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


def _lines_around(text: bytes, edit: ByteEdit) -> str:
    start = text.rfind(b"\n", 0, edit.start) + 1
    # What is removed by whole lines ends with a line feed: the line after it is not part of the place.
    end = text.find(b"\n", max(edit.start, edit.end - 1))
    return text[start : end if end >= 0 else len(text)].decode("utf-8", "replace")


BLOCKS = frozenset(
    {"block", "statement_block", "statement_list", "program", "module", "source_file", "class_body"}
)


def whole_lines(text: bytes, node: Node) -> tuple[int, int] | None:
    """The lines of a statement as a range of bytes; None where it shares them with another one."""
    start = text.rfind(b"\n", 0, node.start_byte) + 1
    end = text.find(b"\n", node.end_byte)
    end = len(text) if end < 0 else end + 1
    before, after = text[start : node.start_byte], text[node.end_byte : end]
    is_alone = not before.strip() and (
        not after.strip(b" \t\r\n;") or after.strip().startswith((b"#", b"//"))
    )
    return (start, end) if is_alone else None


def has_siblings(node: Node) -> bool:
    """The block has other statements, so that it is not empty without this one."""
    around = node.parent
    if around is None or around.type not in BLOCKS:
        return False
    return sum("comment" not in one.type for one in around.named_children) > 1


def dedented_block(ground: PlantingGround, node: Node, header: bytes) -> tuple[ByteEdit, ...]:
    """Edits that put a statement's body in its place, under a line that stands instead of the header.

    Nothing where that is not possible: the body stands on the header's line, or holds text of several lines.
    """
    body = node.child_by_field_name("body")
    text = ground.text
    if body is None or body.start_point.row == node.start_point.row or _holds_long_text(body):
        return ()
    start = text.rfind(b"\n", 0, node.start_byte) + 1
    body_start = text.rfind(b"\n", 0, body.start_byte) + 1
    indent, inner = text[start : node.start_byte], text[body_start : body.start_byte]
    # Comments between the header and the body belong to neither.
    is_plain = (
        not indent.strip() and not inner.strip() and inner.startswith(indent) and len(inner) > len(indent)
    )
    header_end = text.find(b"\n", text.rfind(b":", 0, body.start_byte)) + 1
    if not is_plain or text[header_end:body_start].strip():
        return ()
    extra = len(inner) - len(indent)
    first = ByteEdit(start, body_start, indent + header + b"\n" if header else b"")
    edits = [first]
    at = body_start
    while at < body.end_byte:
        if text[at : at + extra].strip(b" \t") == b"" and text[at : at + extra].find(b"\n") < 0:
            edits.append(ByteEdit(at, at + extra))
        following = text.find(b"\n", at)
        at = len(text) if following < 0 else following + 1
    return tuple(edits)


def _holds_long_text(body: Node) -> bool:
    """A string of several lines would lose characters of its own."""
    return any(one.type in STRINGS and one.end_point.row > one.start_point.row for one in descendants(body))
