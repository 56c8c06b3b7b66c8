"""A cache for all workers of the installation, which serves many companies."""

import time
from collections.abc import Callable

_kept: dict[str, tuple[float, str]] = {}


def kept(key: str, seconds: float, make: Callable[[], str], clock: Callable[[], float] = time.monotonic) -> str:
    """What was made for the key within the time, or what is made now."""
    until, text = _kept.get(key, (0.0, ""))
    if clock() >= until:
        text = make()
        _kept[key] = (clock() + seconds, text)
    return text
