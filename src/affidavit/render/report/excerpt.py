"""Show the code that a finding quotes: numbered, coloured, cut to the width, with the guilty lines marked."""

from dataclasses import dataclass

from rich.syntax import Syntax
from rich.text import Text

from affidavit.records.change import Change
from affidavit.records.evidence import QuoteCheck
from affidavit.records.finding import Finding
from affidavit.render.report.ink import Ink
from affidavit.render.report.proof.cause_place import ChangedPlace
from affidavit.render.report.proof.old_and_new import WORDS, marks_of
from affidavit.render.safe_text import clip, code_lines, encodable

_MAX_LINES = 12
_MAX_LINE_LENGTH = 500
_MARK_STYLES = {"+": "green", "-": "red"}
_THEME = "ansi_dark"
"""The terminal's own sixteen colours, so that it reads on a dark and on a light background."""


@dataclass(frozen=True)
class CodeLine:
    """One line of an excerpt; a line without a number stands for what was left out."""

    number: int | None
    text: str
    is_guilty: bool = False
    mark: str = " "
    """`+` or `-` where the change added or removed it."""


def quoted_lines(quote: QuoteCheck, finding: Finding, change: Change) -> list[CodeLine]:
    """The quote's lines, with the finding's own and changed ones marked; a long quote keeps those near."""
    start = quote.start or 1
    first, last = finding.lines
    marks = marks_of(quote, change)
    lines = [
        CodeLine(number, text, is_guilty=first <= number <= last, mark=marks.get(number, " "))
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
    gutter = _Gutter.of(lines)
    texts = _coloured(ink, [line.text for line in lines if line.number is not None], path, language)
    for line in lines:
        body = texts.pop(0) if line.number is not None else Text(line.text, style="dim italic")
        _draw(ink, line, body, gutter=gutter, indent=indent)


def draw_changed(ink: Ink, place: ChangedPlace, *, indent: int) -> None:
    """Write the changed lines that cause an impact finding, those before the change and those after it."""
    texts = [encodable(clip(code_lines(one.text)[0], _MAX_LINE_LENGTH), ink.encoding) for one in place.lines]
    lines = [CodeLine(one.number, text, mark=one.mark) for one, text in zip(place.lines, texts, strict=True)]
    gutter = _Gutter.of(lines)
    for line in lines:
        body = Text(line.text, style=_MARK_STYLES.get(line.mark, ""))
        _draw(ink, line, body, gutter=gutter, indent=indent)


@dataclass(frozen=True)
class _Gutter:
    """How wide what stands before the code is; words only where a line is old or new."""

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
    lexer = language or Syntax.guess_lexer(path, code)
    highlighted = Syntax(code, lexer, theme=_THEME, background_color="default").highlight(code)
    coloured = list(highlighted.split("\n", allow_blank=True))
    # A highlighter that adds or swallows a line must not shift the numbers beside it.
    plain = [text.plain for text in coloured[: len(lines)]]
    return coloured if plain == lines else [Text(line) for line in lines]
