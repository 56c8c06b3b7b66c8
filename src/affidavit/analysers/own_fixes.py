"""An analyser's own fix: what it would write in a file in, a patch against head out."""

from collections.abc import Sequence
from itertools import pairwise

from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic, Edit

AROUND = 3
MAX_HUNK_LINES = 60
"""Edits that are further apart are no small fix."""
NOT_IN_NAMES = frozenset('"\\\t\n\r')
"""Git writes such names otherwise."""
BYTE_ORDER_MARK = "\ufeff"


def patch_of(diagnostic: AnalyserDiagnostic, head: Tree) -> str:
    """A unified diff that makes the diagnostic's edits; empty where it has none, or they do not fit."""
    path = diagnostic.path
    if not diagnostic.edits or NOT_IN_NAMES & set(path):
        return ""
    # Where the file has a secret, a patch would show it, or no longer apply.
    if head.lines(path) is None or head.redacted_lines(path) != head.lines(path):
        return ""
    before = _text_of(head.read(path))
    after = edited(before, diagnostic.edits) if before else None
    return unified(path, before, after) if before and after is not None else ""


def _text_of(content: bytes | None) -> str:
    try:
        text = (content or b"").decode("utf-8")
    except UnicodeDecodeError:
        return ""
    # What is not one line for everybody has no place that everybody agrees on.
    is_plain = "\r" not in text.replace("\r\n", "\n") and not text.startswith(BYTE_ORDER_MARK)
    return text if is_plain else ""


def edited(text: str, edits: Sequence[Edit]) -> str | None:
    """The text with all edits made; None where one leads out of it, or two overlap."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    spans = []
    for edit in edits:
        start = _offset(lines, starts, edit.line, edit.column)
        end = _offset(lines, starts, edit.end_line, edit.end_column)
        if start is None or end is None or start > end:
            return None
        spans.append((start, end, edit.text))
    spans.sort(key=lambda span: span[:2])
    if any(one[1] > other[0] for one, other in pairwise(spans)):
        return None
    for start, end, new in reversed(spans):
        text = text[:start] + new + text[end:]
    return text


def _offset(lines: Sequence[str], starts: Sequence[int], line: int, column: int) -> int | None:
    if not 1 <= line <= len(lines) or not 1 <= column <= len(lines[line - 1]) + 1:
        return None
    return starts[line - 1] + column - 1


def unified(path: str, before: str, after: str) -> str:
    """The difference as one hunk; empty where there is none, it is long, or it touches an unended line."""
    old, new = before.split("\n"), after.split("\n")
    if before == after:
        return ""
    first = _alike(old, new)
    last = _alike(old[first:][::-1], new[first:][::-1])
    start, below = max(0, first - AROUND), max(0, last - AROUND)
    removed, added = old[first : len(old) - last], new[first : len(new) - last]
    context = old[start:first], old[len(old) - last : len(old) - below]
    # The last piece is what follows the last line break: nothing, where the file ends as files do.
    if below == 0:
        if old[-1] or new[-1] or not last:
            return ""
        context = context[0], context[1][:-1]
    if len(removed) + len(added) > MAX_HUNK_LINES:
        return ""
    around = len(context[0]) + len(context[1])
    head = f"@@ -{_range(start, around + len(removed))} +{_range(start, around + len(added))} @@"
    body = [
        *(f" {line}" for line in context[0]),
        *(f"-{line}" for line in removed),
        *(f"+{line}" for line in added),
        *(f" {line}" for line in context[1]),
    ]
    return "\n".join([f"--- a/{path}", f"+++ b/{path}", head, *body]) + "\n"


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (line, same) in pairs if line != same), min(len(one), len(other)))


def _range(start: int, count: int) -> str:
    return f"{start + 1 if count else start},{count}"
