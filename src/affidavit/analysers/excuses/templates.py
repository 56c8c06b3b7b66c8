"""Whether a file is a template, which is filled in before it is read: a path or lines in, yes or no out."""

import re
from collections.abc import Sequence

from affidavit.git.text import text_lines

# A folder or file whose own name is filled in, as Cookiecutter, Copier and others have it.
NAME_TO_FILL_IN = re.compile(r"\{\{[^/]*\}\}|\{%[^/]*%\}|<%[^/]*%>|\[\[[^/]*\]\]")
# Jinja, Django, Go, Mustache, ERB, and marks such as @@VERSION@@; `${{ … }}` is an expression of a workflow.
BLOCK = r"\{%[-+~]?\s?\w|<%[-=#]?\s|@@\w+@@"
VALUE = r"(?<![${])\{\{[-~#/^]?\s?[$.]{0,3}[A-Za-z_][\w.]*(?:\s?[|(\[ ][^{}:]*)?\s?[-~]?\}\}(?!\})"
MARK = re.compile(f"{BLOCK}|{VALUE}")
ANY_BRACES = re.compile(rf"(?<!\$)\{{\{{|{BLOCK}")
NEAR_LINES = 1
MAX_LINE = 2_000
"""No mark is looked for further to the right: a line of a hostile file may be as long as the file."""


def has_name_to_fill_in(path: str) -> bool:
    """The path itself holds what a template engine replaces."""
    return NAME_TO_FILL_IN.search(path[:MAX_LINE]) is not None


def is_marked_near(lines: Sequence[str], line: int) -> bool:
    """A mark of a template stands at a line that counts from 1, or beside it."""
    near = lines[max(line - 1 - NEAR_LINES, 0) : line + NEAR_LINES]
    return any(MARK.search(one[:MAX_LINE]) for one in near)


def is_marked_at(lines: Sequence[str], line: int, column: int | None) -> bool:
    """What stands at the place is filled in; lines and columns count from 1."""
    text = "".join(lines[line - 1 : line])[:MAX_LINE]
    return any(found.start() < (column or 1) <= found.end() for found in MARK.finditer(text))


def has_mark(content: bytes) -> bool:
    """A mark of a template stands anywhere in the content of a file."""
    return any(MARK.search(line[:MAX_LINE]) for line in text_lines(content))


def has_braces(lines: Sequence[str]) -> bool:
    """A mark of a template stands anywhere, or braces that may be one."""
    return any(ANY_BRACES.search(line[:MAX_LINE]) for line in lines)
