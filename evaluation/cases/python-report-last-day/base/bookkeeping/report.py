"""The sum of the entries of a month."""

from collections.abc import Iterable

from bookkeeping.entries import Entry


def month_total(entries: Iterable[Entry], year: int, month: int) -> int:
    chosen = [one for one in entries if (one.made_at.year, one.made_at.month) == (year, month)]
    return sum(one.cents for one in chosen)
