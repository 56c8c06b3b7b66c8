"""Cut the pieces of code that a page shows beside a finding: the quote, and the change that caused it."""

from dataclasses import dataclass

from markupsafe import Markup

from affidavit.records.candidate import Candidate
from affidavit.records.change import Change
from affidavit.records.finding import Cause, Finding
from affidavit.render import wording
from affidavit.render.changed_lines import LEGEND, WORDS, changed_place, marks_of
from affidavit.render.html.colour import Painter, shown_line
from affidavit.render.safe_text import clip, visible

_MAX_LINES = 60


@dataclass(frozen=True)
class ExcerptLine:
    """One line with its number; `mark` is '+', '-' or ' ', and a guilty line is what the finding is about."""

    number: int
    mark: str
    code: Markup
    is_guilty: bool = False


@dataclass(frozen=True)
class Excerpt:
    """Lines of a file, with a word on what they are and how many were left out."""

    caption: str
    lines: tuple[ExcerptLine, ...]
    left_out: int = 0

    @property
    def legend(self) -> str:
        """What the marks mean, where there are some."""
        return LEGEND if any(line.mark in WORDS for line in self.lines) else ""


def quote_excerpt(candidate: Candidate, finding: Finding, change: Change, painter: Painter) -> Excerpt | None:
    """The file's own text that the finding quotes; a long quote keeps what is near the finding's lines."""
    quote = candidate.quote
    if quote is None or quote.start is None or not quote.code:
        return None
    texts = [shown_line(line.removesuffix("\r")) for line in quote.code.removesuffix("\n").split("\n")]
    first, last = finding.lines
    at = max(min(first - quote.start - _MAX_LINES // 3, len(texts) - _MAX_LINES), 0)
    kept = texts[at : at + _MAX_LINES]
    painted = painter.paint(kept, language=wording.language_of(change, quote.file), path=quote.file)
    marks = marks_of(quote, change)
    lines = [
        ExcerptLine(number=number, mark=marks.get(number, " "), code=code, is_guilty=first <= number <= last)
        for number, code in enumerate(painted, quote.start + at)
    ]
    caption = clip(visible(quote.file), 300) + (f" ({wording.SIDES['base']})" if quote.side == "base" else "")
    return Excerpt(caption=caption, lines=tuple(lines), left_out=len(texts) - len(kept))


def cause_excerpt(cause: Cause, change: Change, painter: Painter) -> Excerpt:
    """The changed lines that an impact finding depends on; none where the cause has no hunks."""
    symbol = f"{visible(cause.symbol.strip())} in " if cause.symbol.strip() else ""
    caption = clip(f"{symbol}{visible(cause.file)}", 300)
    place = changed_place(change, cause)
    if place is None:
        return Excerpt(caption=caption, lines=())
    painted = painter.paint(
        [shown_line(line.text.removesuffix("\r")) for line in place.lines],
        language=wording.language_of(change, place.path),
        path=place.path,
    )
    lines = [
        ExcerptLine(number=line.number, mark=line.mark, code=code)
        for line, code in zip(place.lines, painted, strict=True)
    ]
    return Excerpt(caption=caption, lines=tuple(lines))
