"""Which lines of a quote are old and which are new: a quote and its change in, a mark for each line out."""

from collections.abc import Iterator

from affidavit.records.change import Change, Hunk
from affidavit.records.evidence import QuoteCheck
from affidavit.records.record import Side

WORDS = {"-": "old", "+": "new"}
LEGEND = "- old, + new"
"""Beside lines that carry the marks of a diff."""


def marks_of(quote: QuoteCheck, change: Change) -> dict[int, str]:
    """By its number each quoted line that the change added (`+`) or, before the change, removed (`-`)."""
    file = change.file_at(quote.file, quote.side)
    if file is None or quote.start is None:
        return {}
    last = quote.end or quote.start
    near = [hunk for hunk in file.hunks if _reaches(hunk, quote.side, quote.start, last)]
    return {
        number: mark
        for hunk in near
        for mark, number in _changed(hunk, quote.side, last)
        if quote.start <= number
    }


def is_told_apart(marks: dict[int, str], quote: QuoteCheck) -> bool:
    """Whether changed lines stand beside unchanged ones, or are not there any more."""
    if not marks or quote.start is None:
        return False
    return quote.side == "base" or len(marks) <= (quote.end or quote.start) - quote.start


def _reaches(hunk: Hunk, side: Side, first: int, last: int) -> bool:
    start, count = (hunk.new_start, hunk.new_count) if side == "head" else (hunk.old_start, hunk.old_count)
    return start <= last and first < start + count


def _changed(hunk: Hunk, side: Side, last: int) -> Iterator[tuple[str, int]]:
    for mark, old, new, _ in hunk.numbered():
        number = new if side == "head" else old
        if number is None:
            continue
        if number > last:
            return
        if mark != " ":
            yield mark, number
