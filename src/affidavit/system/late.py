"""Make objects on first use: a command needs few of the expressions that its modules define."""

import re
from collections.abc import Callable
from typing import Any, TypeVar, cast

Made = TypeVar("Made")


class _Late:
    """Represents an object, which is made on the first access to an attribute."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> Any:
        """Make the object on first use, and keep the attribute."""
        made = self.__dict__.get("_made")
        if made is None:
            made = self.__dict__["_made"] = self._make()
        value = self.__dict__[name] = getattr(made, name)
        return value


def late(make: Callable[[], Made]) -> Made:
    """Return a stand-in for the object, with its methods."""
    return cast("Made", _Late(make))


def expression(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a regular expression that is compiled on first use."""
    return late(lambda: re.compile(pattern, flags))
