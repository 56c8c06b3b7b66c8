"""Who may do what."""

from collections.abc import Callable
from functools import wraps
from typing import Any


class Forbidden(Exception):
    """The person has no such right."""


def requires(right: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def decorate(view: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(view)
        def guarded(request: dict[str, Any], *args: Any) -> Any:
            if right not in request["rights"]:
                raise Forbidden(right)
            return view(request, *args)

        return guarded

    return decorate
