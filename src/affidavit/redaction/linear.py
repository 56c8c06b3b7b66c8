"""Compile regular expressions that take linear time on hostile bytes."""

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from threading import Lock
from typing import Any, Protocol, TypeVar

import re2

from affidavit.system.late import late

Made = TypeVar("Made")


class Match(Protocol):
    """One match; offsets count bytes."""

    def span(self, group: int = 0, /) -> tuple[int, int]: ...

    def group(self, group: int = 0, /) -> Any: ...


class Pattern(Protocol):
    def finditer(self, text: bytes, pos: int | None = None, endpos: int | None = None) -> Iterator[Match]: ...

    def search(self, text: bytes, pos: int | None = None, endpos: int | None = None) -> Match | None: ...

    def match(self, text: bytes, pos: int | None = None, endpos: int | None = None) -> Match | None: ...

    def fullmatch(self, text: bytes, pos: int | None = None, endpos: int | None = None) -> Match | None: ...

    def sub(self, replacement: Any, text: bytes) -> bytes: ...


def _options() -> Any:
    options = re2.Options()
    # A byte is a letter, so that text of any encoding, and none, is searched to its end.
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return options


def compile_linear(pattern: str, encoding: str = "utf-8") -> Pattern:
    """Return the expression, in the syntax of RE2."""
    compiled: Pattern = re2.compile(pattern.encode(encoding), _options())
    return compiled


def linear(pattern: str) -> Pattern:
    """Return an expression that is compiled on first use."""
    return late(lambda: compile_linear(pattern))


FEW_BYTES = 200_000
"""Up to this many texts, compiling all expressions takes longer than comparing their words."""


class PatternSet:
    """Many expressions at once: those that cannot match a text are not tried on it.

    Each comes with words, in lower case: every text that it matches has one of them.
    """

    def __init__(self, patterns: Sequence[tuple[str, Sequence[str]]]) -> None:
        self._words = [(word.encode(), at) for at, (_, words) in enumerate(patterns) for word in words]
        self._patterns = [linear(pattern) for pattern, _ in patterns]
        self._filter = once(lambda: _filter_of([pattern for pattern, _ in patterns]))
        self._searched = 0

    def possible(self, text: bytes) -> Iterator[tuple[int, Pattern]]:
        """Return the expressions that may match the text, with their numbers."""
        self._searched += len(text)
        if self._searched < FEW_BYTES:
            lowered = text.lower()
            for number in sorted({number for word, number in self._words if word in lowered}):
                yield number, self._patterns[number]
            return
        compiled = self._filter()
        for number in sorted(compiled.Match(text, True) or ()):
            yield number, compiled.re(number)


def _filter_of(patterns: Sequence[str]) -> Any:
    compiled = re2.Filter()
    for pattern in patterns:
        compiled.Add(pattern.encode(), _options())
    compiled.Compile()
    return compiled


def once(make: Callable[[], Made]) -> Callable[[], Made]:
    """Make the value on first use, once for all threads."""
    made: list[Made] = []
    lock = Lock()

    @wraps(make)
    def get() -> Made:
        if not made:
            with lock:
                if not made:
                    made.append(make())
        return made[0]

    return get
