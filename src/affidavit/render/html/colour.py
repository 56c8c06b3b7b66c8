"""Colour lines of code by their syntax: text in, markup out, line by line."""

from collections.abc import Sequence
from functools import cache, lru_cache

from markupsafe import Markup, escape
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType
from pygments.util import ClassNotFound

from affidavit.render.safe_text import visible

_CLASSES = {
    Comment: "c",
    Keyword: "k",
    Operator.Word: "k",
    String: "s",
    Number: "m",
    Name.Function: "f",
    Name.Class: "f",
    Name.Decorator: "d",
    Name.Builtin: "b",
    Name.Tag: "k",
    Name.Attribute: "b",
}
MAX_LINE_LENGTH = 2_000
_MAX_COLOURED_LINE_LENGTH = 500
_MAX_CHARACTERS = 1_500_000
"""Code beyond this stays plain, so that the page stays small."""

Token = tuple[_TokenType, str]


def shown_line(text: str) -> str:
    """A line as the page shows it: nothing invisible, and what is too long cut with a word about it."""
    line = visible(text, keep="\t")
    more = len(line) - MAX_LINE_LENGTH
    return line if more <= 0 else f"{line[:MAX_LINE_LENGTH]}… ({more} more characters)"


class Painter:
    """Colours code until its room is used up."""

    def __init__(self, room: int = _MAX_CHARACTERS) -> None:
        self._room = room

    def paint(self, lines: Sequence[str], *, language: str, path: str) -> list[Markup]:
        """Lines as `shown_line` gives them, with colours where the language is known."""
        size = sum(len(line) + 1 for line in lines)
        is_plain = size > self._room or any(len(line) > _MAX_COLOURED_LINE_LENGTH for line in lines)
        lexer = None if is_plain else _lexer(language, path)
        if lexer is None:
            return [escape(line) for line in lines]
        self._room -= size
        tokens = _by_line(lexer, "\n".join(lines))
        # A lexer that adds or swallows a character must not change what the reader sees.
        if ["".join(text for _, text in line) for line in tokens] != list(lines):
            return [escape(line) for line in lines]
        return [_markup(line) for line in tokens]


@lru_cache(maxsize=64)
def _lexer(language: str, path: str) -> Lexer | None:
    """The lexer of the language, else of the file's name; the code itself is never asked."""
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        name = path.rpartition("/")[2]
    try:
        return get_lexer_for_filename(name, None, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _by_line(lexer: Lexer, code: str) -> list[list[Token]]:
    lines: list[list[Token]] = [[]]
    for kind, text in lexer.get_tokens(code):
        first, *others = text.split("\n")
        lines[-1].append((kind, first))
        lines += [[(kind, other)] for other in others]
    return lines


def _markup(tokens: Sequence[Token]) -> Markup:
    """One line; neighbours of the same colour share their element."""
    runs: list[tuple[str, str]] = []
    for kind, text in tokens:
        name = _class_of(kind) if text.strip() else ""
        if runs and runs[-1][0] == name:
            runs[-1] = (name, runs[-1][1] + text)
        elif text:
            runs.append((name, text))
    # Plain strings, each escaped here: a page has many thousands of them.
    pieces = [f'<i class="{name}">{escape(text)}</i>' if name else str(escape(text)) for name, text in runs]
    return Markup("".join(pieces))  # noqa: S704 - escaped piece by piece


@cache
def _class_of(kind: _TokenType) -> str:
    step: _TokenType | None = kind
    while step is not None:
        if step in _CLASSES:
            return _CLASSES[step]
        step = step.parent
    return ""
