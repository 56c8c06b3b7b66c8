"""How much the assertions of a test ask for, and whether they ask for less than before.

An assertion became weaker where what it compared with a value is still asserted, and no longer with a value.
It is known by what it speaks of, so that a test which asks for other things, or for more, is no weaker.
"""

import builtins
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

ANY_ERROR = frozenset({"", "Exception", "BaseException", "Error"})
"""Errors that any error is one of."""


class Leeway(NamedTuple):
    """How far a value may be off."""

    thing: str
    wide: float
    noise: float
    """So much is what numbers that a computer rounds may be off."""


class Bound(NamedTuple):
    """Something must be greater, or less, than a number."""

    thing: str
    is_low: bool
    number: float


@dataclass(frozen=True)
class Strength:
    """What the assertions of a test ask for."""

    exact: tuple[str, ...] = ()
    """What is compared with a value, once for each time."""
    partly: tuple[str, ...] = ()
    """What is compared in one respect: its length, its type, some of its fields."""
    loose: tuple[str, ...] = ()
    """What is only looked at: that it is there, is true, is greater, is not something."""
    errors: tuple[str, ...] = ()
    """The errors that must be raised, by their names, those of one assertion with commas between."""
    messages: int = 0
    """How many of them must say something."""
    leeways: tuple[Leeway, ...] = ()
    bounds: tuple[Bound, ...] = ()


class Asked:
    """What was found so far; each language sorts its own assertions into it."""

    def __init__(self) -> None:
        self.exact: list[str] = []
        self.partly: list[str] = []
        self.loose: list[str] = []
        self.errors: list[str] = []
        self.messages = 0
        self.leeways: list[Leeway] = []
        self.bounds: list[Bound] = []

    @property
    def strength(self) -> Strength:
        """All of it, in an order that does not depend on that of the assertions."""
        return Strength(
            tuple(sorted(self.exact)),
            tuple(sorted(self.partly)),
            tuple(sorted(self.loose)),
            tuple(sorted(self.errors)),
            self.messages,
            tuple(sorted(self.leeways)),
            tuple(sorted(self.bounds)),
        )


def asks_less(before: Strength, after: Strength) -> bool:
    """Whether something is asked for that lets more pass than it did."""
    return (
        _is_only_looked_at(before, after)
        or _takes_other_errors(before, after)
        or _is_further_off(before, after)
        or _has_wider_bounds(before, after)
    )


def _is_only_looked_at(before: Strength, after: Strength) -> bool:
    """Something that was compared with a value is now compared in part, or only looked at."""
    if len(after.exact) < len(before.exact):
        less = {*after.partly, *after.loose} - {*before.partly, *before.loose}
        if any(_is_left(one, before.exact, after.exact) for one in less & set(before.exact)):
            return True
    valued = (*after.exact, *after.partly)
    if len(valued) < len(before.exact) + len(before.partly):
        less = set(after.loose) - set(before.loose)
        return any(_is_left(one, before.partly, valued) for one in less & set(before.partly))
    return False


def _is_left(one: str, before: Iterable[str], after: Iterable[str]) -> bool:
    """It is not among what is compared now, nor is a part of it, or what is made of it."""
    is_part = re.compile(rf"(?<!\w){re.escape(one)}(?!\w)")
    known = set(before)
    return one not in after and not any(is_part.search(other) for other in after if other not in known)


def _takes_other_errors(before: Strength, after: Strength) -> bool:
    if len(before.errors) != len(after.errors):
        return False
    narrow = [[one for one in side.errors if not _is_any(one)] for side in (before, after)]
    if len(narrow[1]) < len(narrow[0]):
        return True
    old, new = (
        [one for one in side.errors if one not in other.errors] for side, other in _both(before, after)
    )
    if len(old) == len(new) == 1 and _is_wider(new[0], old[0]):
        return True
    return before.errors == after.errors and after.messages < before.messages


def _both(before: Strength, after: Strength) -> list[tuple[Strength, Strength]]:
    return [(before, after), (after, before)]


def _is_any(names: str) -> bool:
    return any(one in ANY_ERROR for one in names.split(","))


def _is_wider(new: str, old: str) -> bool:
    """All errors that were asked for before, and others, will do."""
    news, olds = new.split(","), old.split(",")
    return news != olds and all(any(_is_kind(one, other) for other in news) for one in olds)


def _is_kind(name: str, of: str) -> bool:
    one, other = getattr(builtins, name, None), getattr(builtins, of, None)
    if isinstance(one, type) and isinstance(other, type):
        return issubclass(one, other)
    return name == of


def _is_further_off(before: Strength, after: Strength) -> bool:
    """A tolerance that is wider than it was, or more than rounding needs where there was none."""
    was: dict[str, float] = defaultdict(float)
    for one in before.leeways:
        was[one.thing] = max(was[one.thing], one.wide)
    compared = {*before.exact, *was}
    return any(
        one.thing in compared and one.wide > (was[one.thing] or one.noise)
        for one in after.leeways
        if one not in before.leeways
    )


def _has_wider_bounds(before: Strength, after: Strength) -> bool:
    was = {(one.thing, one.is_low): one.number for one in before.bounds}
    now = {(one.thing, one.is_low): one.number for one in after.bounds}
    is_alone = len(was) == len(before.bounds) and len(now) == len(after.bounds)
    return is_alone and any(
        (now[key] < number) if key[1] else (now[key] > number) for key, number in was.items() if key in now
    )
