"""How long to wait before each attempt, in seconds."""

from collections.abc import Iterator

FIRST_SECONDS = 1.0
LONGEST_SECONDS = 60.0


def pauses() -> Iterator[float]:
    pause = FIRST_SECONDS
    while True:
        yield pause
        pause = min(pause * 2, LONGEST_SECONDS)
