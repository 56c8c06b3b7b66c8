"""Show the code that a finding quotes: numbered, coloured, cut to the width, with the guilty lines marked."""

from dataclasses import dataclass

from rich.syntax import Syntax
from rich.text import Text

from affidavit.records.evidence import QuoteCheck
from affidavit.records.finding import Finding
from affidavit.render.report.cause_place import ChangedPlace
from affidavit.render.report.ink import Ink
from affidavit.render.safe_text import clip, code_lines, encodable

_MAX_LINES = 12
_MAX_LINE_LENGTH = 500
_THEME = "ansi_dark"
"""The terminal's own sixteen colours, so that it reads on a dark and on a light background."""


@dataclass(frozen=True)
class CodeLine:
    """One line of an excerpt; a line without a number stands for what was left out."""

    number: int | None
    text: str
    mark: str = " "


def quoted_lines(quote: QuoteCheck, finding: Finding) -> list[CodeLine]:
    """The quote's lines, with the finding's own lines marked `>`; a long quote keeps what is near them."""
    start = quote.start or 1
    first, last = finding.lines
    lines = [
        CodeLine(number=number, text=text, mark=">" if first <= number <= last else " ")
        for number, text in enumerate(code_lines(quote.code), start)
    ]
    if len(lines) <= _MAX_LINES:
        return lines
    at = min(max(first - start - _MAX_LINES // 2 + 1, 0), len(lines) - _MAX_LINES)
    return _with_gaps(lines, at, at + _MAX_LINES)


def _with_gaps(lines: list[CodeLine], first: int, end: int) -> list[CodeLine]:
    def gap(count: int) -> list[CodeLine]:
        return [CodeLine(number=None, text=f"({count} more lines)")] if count else []

    return [*gap(first), *lines[first:end], *gap(len(lines) - end)]


def draw_quote(ink: Ink, lines: list[CodeLine], *, path: str, language: str, indent: int) -> None:
    """Write an excerpt; code is cut at the edge and never wrapped."""
    gutter = len(str(max((line.number or 0 for line in lines), default=0)))
    texts = _coloured(ink, [line.text for line in lines if line.number is not None], path, language)
    for line in lines:
        body = texts.pop(0) if line.number is not None else Text(line.text, style="dim italic")
        _draw(ink, line, body, gutter=gutter, indent=indent)


def draw_changed(ink: Ink, place: ChangedPlace, *, indent: int) -> None:
    """Write the changed lines that cause an impact finding, as a diff shows them."""
    gutter = len(str(max(line.number for line in place.lines)))
    for line in place.lines:
        style = {"+": "green", "-": "red"}.get(line.mark, "")
        text = encodable(clip(code_lines(line.text)[0], _MAX_LINE_LENGTH), ink.encoding)
        code_line = CodeLine(number=line.number, text=text, mark=line.mark)
        _draw(ink, code_line, Text(text, style=style), gutter=gutter, indent=indent)


def _draw(ink: Ink, line: CodeLine, body: Text, *, gutter: int, indent: int) -> None:
    number = str(line.number) if line.number is not None else ink.glyphs.ellipsis[:gutter]
    mark = ink.glyphs.mark if line.mark == ">" else line.mark
    style = {">": "bold red", "+": "green", "-": "red"}.get(line.mark, "dim")
    ink.line(" " * indent, (f"{mark} {number.rjust(gutter)}", style), (f" {ink.glyphs.bar} ", "dim"), body)


def _coloured(ink: Ink, lines: list[str], path: str, language: str) -> list[Text]:
    lines = [encodable(clip(line, _MAX_LINE_LENGTH), ink.encoding) for line in lines]
    if not ink.has_colour:
        return [Text(line) for line in lines]
    code = "\n".join(lines)
    lexer = language or Syntax.guess_lexer(path, code)
    highlighted = Syntax(code, lexer, theme=_THEME, background_color="default").highlight(code)
    coloured = list(highlighted.split("\n", allow_blank=True))
    # A highlighter that adds or swallows a line must not shift the numbers beside it.
    plain = [text.plain for text in coloured[: len(lines)]]
    return coloured if plain == lines else [Text(line) for line in lines]
