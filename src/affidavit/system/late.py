"""Make a thing at its first use: a command needs few of the expressions that its modules have."""

import re
from collections.abc import Callable
from typing import Any, TypeVar, cast

Made = TypeVar("Made")


class _Late:
    """Stands for a thing; the first attribute that is asked for makes it."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> Any:
        """Make the thing, unless it is made, and keep its attribute for the next time."""
        made = self.__dict__.get("_made")
        if made is None:
            made = self.__dict__["_made"] = self._make()
        value = self.__dict__[name] = getattr(made, name)
        return value


def late(make: Callable[[], Made]) -> Made:
    """Return a stand-in for the thing, which can do whatever its methods do."""
    return cast("Made", _Late(make))


def expression(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a regular expression that is compiled at its first use."""
    return late(lambda: re.compile(pattern, flags))
