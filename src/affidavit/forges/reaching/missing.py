"""What a missing token or right hides is said, and nothing else is lost for it."""

from collections.abc import Awaitable
from typing import TypeVar

from affidavit.errors import ForgeError

T = TypeVar("T")
HIDDEN = (0, 401, 403, 404)
"""How a forge says that somebody may not see something; 0 where an answer has no status."""


async def read_or_miss(reading: Awaitable[tuple[T, ...]], what: str, missed: list[str]) -> tuple[T, ...]:
    """What is read; where it is hidden, nothing, and `missed` has why."""
    try:
        return await reading
    except ForgeError as error:
        if error.status not in HIDDEN or error.retryable:
            raise
        missed.append(f"{what} could not be read: {error}")
        return ()
