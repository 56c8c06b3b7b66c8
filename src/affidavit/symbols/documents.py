"""Whether a line of a document names a definition, or merely has the same word in its prose."""

import re
from collections.abc import Iterator, Sequence

_FENCE = re.compile(r"\s*(```+|~~~+)")
_LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_CODE_INDENT = 4
_MARKED_SPANS = re.compile(r"<(code|tt|kbd|pre)\b[^>]*>.*?</\1>|\\(?:texttt|verb|code|lstinline)\b\S*")
_WORD = re.compile(r"\w+")


def is_plain_word(name: str) -> bool:
    """A name that any text may have: one word, as `connect`, `Client` and `HTTP` are."""
    return name.isalpha() and (name.islower() or name.istitle() or name.isupper())


def is_marked(text: str, name: str) -> bool:
    """The line writes the name as code: between backquotes, with a bracket, or after a dot."""
    quoted = re.escape(name)
    if re.search(rf"\b{quoted}\(|(?:\w\.|::|->|#|\w/){quoted}\b", text):
        return True
    return any(name in _WORD.findall(span) for span in _spans(text))


def _spans(text: str) -> Iterator[str]:
    parts = re.sub("`+", "`", text).split("`")
    # What follows a backquote that nothing closes is prose.
    yield from parts[1 : len(parts) - 1 : 2]
    yield from (found[0] for found in _MARKED_SPANS.finditer(text))


def code_lines(lines: Sequence[str]) -> set[int]:
    """The numbers of the lines that stand in blocks of code: fenced, indented, or after `::`."""
    found: set[int] = set()
    fence = ""
    literal: int | None = None
    before = ""
    for number, line in enumerate(lines, 1):
        mark = _FENCE.match(line)
        if fence:
            found.add(number)
            fence = "" if mark and mark[1].startswith(fence) and not line[mark.end() :].strip() else fence
        elif mark:
            fence = mark[1]
        elif line.strip():
            indent = _indent(line)
            is_literal = literal is not None and indent > literal
            if is_literal or (indent >= _CODE_INDENT and _may_be_indented(number, lines, found, before)):
                found.add(number)
                continue
            literal = indent if line.rstrip().endswith("::") or line.lstrip().startswith(".. code") else None
            before = line
    return found


def _indent(line: str) -> int:
    wide = line.expandtabs(_CODE_INDENT)
    return len(wide) - len(wide.lstrip())


def _may_be_indented(number: int, lines: Sequence[str], found: set[int], before: str) -> bool:
    """A blank line or code stands above, and no item of a list that the line could go on with."""
    above = lines[number - 2].strip() if number > 1 else ""
    return (not above or number - 1 in found) and not _LIST_ITEM.match(before)
