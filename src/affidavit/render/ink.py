"""Write safe, styled lines and code excerpts to a console, wrapped or cut, with nothing invisible."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from affidavit.render.changed_lines import WORDS, ChangedLine
from affidavit.render.safe_text import (
    clip,
    code_lines,
    encodable,
    one_line,
    prose_lines,
    visible,
    without_command_start,
)
from affidavit.render.view import QuoteView

WIDEST = 120
"""Prose wider than this is hard to read, however wide the terminal is."""
NARROWEST = 30


@dataclass(frozen=True)
class Glyphs:
    rule: str
    bar: str
    mark: str
    dot: str
    ellipsis: str
    arrow: str
    dash: str


UNICODE = Glyphs(rule="─", bar="│", mark="▸", dot="·", ellipsis="…", arrow="→", dash="\u2013")
ASCII = Glyphs(rule="-", bar="|", mark=">", dot="-", ellipsis="...", arrow="->", dash="-")


class Ink:
    """A console with safe ways to write on it."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.encoding = console.encoding
        self.glyphs = UNICODE if self.encoding.startswith("utf") else ASCII
        self.width = max(console.width, NARROWEST)
        self.text_width = min(self.width, WIDEST)

    @property
    def has_colour(self) -> bool:
        return self.console.color_system is not None and not self.console.no_color

    def safe(self, text: str) -> str:
        return encodable(one_line(text), self.encoding)

    def safe_path(self, path: str) -> str:
        """Return a path without control characters; its white space is kept."""
        return encodable(visible(path), self.encoding)

    def line(self, *parts: str | Text | tuple[str, str]) -> None:
        """Print one line; cut it at the width of the console."""
        text = Text.assemble(*parts)
        # A wrapped line may begin with a command, and white space does not break it.
        inert = without_command_start(text.plain)
        if inert != text.plain:
            text = Text(inert, style=text.style)
        self.console.print(self.cut(text, self.width), soft_wrap=True)

    def head(self, title: str, *details: str | Text | tuple[str, str]) -> None:
        """Print the title of a change and its details, after a sign of ours."""
        self.line((f"{self.glyphs.mark} ", "dim"), (self.safe(title), "bold"))
        self.line("  ", *details)

    def path_heading(self, path: str) -> None:
        text = self.cut(Text(self.safe_path(path), style="bold"), self.text_width - 7)
        rule = self.glyphs.rule * max(self.text_width - text.cell_len - 4, 0)
        self.line((f"{self.glyphs.rule * 2} ", "dim"), text, " ", (rule, "dim"))

    def blank(self) -> None:
        self.console.print()

    def cut(self, text: Text, width: int) -> Text:
        text = text.copy()
        text.rstrip()
        if text.cell_len > width:
            text.truncate(max(width - len(self.glyphs.ellipsis), 0), overflow="crop")
            text.append(self.glyphs.ellipsis)
        return text

    def hanging(self, label: Text, body: Text, *, indent: int) -> None:
        start = Text(" " * indent).append_text(label)
        room = max(self.text_width - start.cell_len, NARROWEST - 10)
        under = " " * start.cell_len
        for number, wrapped in enumerate(self._wrapped(body, room)):
            self.line(start if number == 0 else under, wrapped)

    def code(self, label: Text, line: str, *, indent: int) -> None:
        """Print a line of code with its white space; control characters are shown."""
        self.hanging(label, Text(encodable(visible(line.expandtabs(4)), self.encoding)), indent=indent)

    def prose(self, text: str, *, indent: int, label: Text | None = None, style: str = "") -> None:
        """Print prose: keep and wrap its lines, and colour its code spans."""
        for number, prose_line in enumerate(prose_lines(text)):
            start = label if label and number == 0 else Text(" " * (label.cell_len if label else 0))
            self.hanging(start, self.inline(prose_line, style), indent=indent)

    def inline(self, text: str, style: str = "") -> Text:
        """Return text in which `code` is coloured; without colour the backticks stay."""
        safe = encodable(visible(text), self.encoding)
        pieces = safe.split("`")
        if not self.has_colour or len(pieces) % 2 == 0:
            return Text(safe, style=style)
        styled = Text(style=style)
        for number, piece in enumerate(pieces):
            styled.append(piece, style="cyan" if number % 2 else "")
        return styled

    def joined(self, parts: Iterable[str], style: str = "") -> Text:
        return self.inline(f" {self.glyphs.dot} ".join(" ".join(part.split()) for part in parts), style)

    def _wrapped(self, body: Text, room: int) -> list[Text]:
        lines = list(body.wrap(self.console, room, overflow="fold")) or [Text()]
        for wrapped in lines:
            wrapped.rstrip()
        return lines


_MAX_LINES = 12
_MAX_LINE_LENGTH = 500
_MARK_STYLES = {"+": "green", "-": "red"}
_THEME = "ansi_dark"
"""The terminal's own sixteen colours, readable on dark and light backgrounds."""


@dataclass(frozen=True)
class CodeLine:
    """One line of an excerpt; one without a number replaces omitted lines."""

    number: int | None
    text: str
    is_guilty: bool = False
    mark: str = " "


def quoted_lines(quote: QuoteView) -> list[CodeLine]:
    first, last = quote.guilty
    lines = [
        CodeLine(number, text, is_guilty=first <= number <= last, mark=quote.marks.get(number, " "))
        for number, text in enumerate(code_lines(quote.code), quote.start)
    ]
    if len(lines) <= _MAX_LINES:
        return lines
    at = min(max(first - quote.start - _MAX_LINES // 2 + 1, 0), len(lines) - _MAX_LINES)
    return _with_gaps(lines, at, at + _MAX_LINES)


def _with_gaps(lines: list[CodeLine], first: int, end: int) -> list[CodeLine]:
    def gap(count: int) -> list[CodeLine]:
        return [CodeLine(number=None, text=f"({count} more lines)")] if count else []

    return [*gap(first), *lines[first:end], *gap(len(lines) - end)]


def draw_quote(ink: Ink, lines: list[CodeLine], *, path: str, language: str, indent: int) -> None:
    """Print an excerpt; long lines are cut."""
    gutter = _Gutter.of(lines)
    texts = _coloured(ink, [line.text for line in lines if line.number is not None], path, language)
    for line in lines:
        body = texts.pop(0) if line.number is not None else Text(line.text, style="dim italic")
        _draw(ink, line, body, gutter=gutter, indent=indent)


def draw_changed(ink: Ink, changed: Sequence[ChangedLine], *, indent: int) -> None:
    texts = [encodable(clip(code_lines(one.text)[0], _MAX_LINE_LENGTH), ink.encoding) for one in changed]
    lines = [CodeLine(one.number, text, mark=one.mark) for one, text in zip(changed, texts, strict=True)]
    gutter = _Gutter.of(lines)
    for line in lines:
        body = Text(line.text, style=_MARK_STYLES.get(line.mark, ""))
        _draw(ink, line, body, gutter=gutter, indent=indent)


@dataclass(frozen=True)
class _Gutter:
    """The width of line numbers and of the words old and new before the code."""

    digits: int
    word: int

    @classmethod
    def of(cls, lines: list[CodeLine]) -> "_Gutter":
        digits = len(str(max((line.number or 0 for line in lines), default=0)))
        return cls(digits, max((len(WORDS[one.mark]) for one in lines if one.mark in WORDS), default=0))

    def word_of(self, line: CodeLine) -> str:
        return f" {WORDS.get(line.mark, ''):{self.word}}" if self.word else ""


def _draw(ink: Ink, line: CodeLine, body: Text, *, gutter: _Gutter, indent: int) -> None:
    number = str(line.number) if line.number is not None else ink.glyphs.ellipsis[: gutter.digits]
    pointer = ink.glyphs.mark if line.is_guilty else " "
    style = "bold red" if line.is_guilty else _MARK_STYLES.get(line.mark, "dim")
    start = f"{pointer} {number.rjust(gutter.digits)}{gutter.word_of(line)}"
    ink.line(" " * indent, (start, style), (f" {ink.glyphs.bar} ", "dim"), body)


def _coloured(ink: Ink, lines: list[str], path: str, language: str) -> list[Text]:
    lines = [encodable(clip(line, _MAX_LINE_LENGTH), ink.encoding) for line in lines]
    if not ink.has_colour:
        return [Text(line) for line in lines]
    code = "\n".join(lines)
    from rich.syntax import Syntax  # noqa: PLC0415 - few reports show code

    lexer = language or Syntax.guess_lexer(path, code)
    highlighted = Syntax(code, lexer, theme=_THEME, background_color="default").highlight(code)
    coloured = list(highlighted.split("\n", allow_blank=True))
    # A highlighter that adds or swallows a line must not shift the numbers beside it.
    plain = [text.plain for text in coloured[: len(lines)]]
    return coloured if plain == lines else [Text(line) for line in lines]
