"""Edits that keep the layout: whole lines taken out, a block moved one level to the left."""

from tree_sitter import Node

from affidavit.lab.mutation.ground import STRINGS, Ground, descendants
from affidavit.lab.mutation.mutant import Edit

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


def dedented_block(ground: Ground, node: Node, header: bytes) -> tuple[Edit, ...]:
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
    first = Edit(start, body_start, indent + header + b"\n" if header else b"")
    edits = [first]
    at = body_start
    while at < body.end_byte:
        if text[at : at + extra].strip(b" \t") == b"" and text[at : at + extra].find(b"\n") < 0:
            edits.append(Edit(at, at + extra))
        following = text.find(b"\n", at)
        at = len(text) if following < 0 else following + 1
    return tuple(edits)


def _holds_long_text(body: Node) -> bool:
    """A string of several lines would lose characters of its own."""
    return any(one.type in STRINGS and one.end_point.row > one.start_point.row for one in descendants(body))
