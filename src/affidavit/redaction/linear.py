"""Regular expressions that take linear time on hostile text: a pattern in, its matches in bytes out."""

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from threading import Lock
from typing import Any, Protocol, TypeVar

import re2

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


class PatternSet:
    """Many expressions at once: those that cannot match a text are not tried on it."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._filter = re2.Filter()
        for pattern in patterns:
            self._filter.Add(pattern.encode(), _options())
        self._filter.Compile()

    def possible(self, text: bytes) -> Iterator[tuple[int, Pattern]]:
        """Return the expressions that may match the text, with their numbers."""
        for number in sorted(self._filter.Match(text, True) or ()):
            yield number, self._filter.re(number)


def once(make: Callable[[], Made]) -> Callable[[], Made]:
    """Make the value at its first use, once for all threads."""
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
