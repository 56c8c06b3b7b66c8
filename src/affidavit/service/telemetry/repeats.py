"""What is said again and again: its words in, how often to say that it came out."""

import threading
import time
from collections.abc import Callable

AGAIN_SECONDS = 60.0
MOST_WORDS = 1_000
"""So many are remembered; of more, those that were written longest ago are new again."""


class Repeats:
    """Counts what is not written, so that nothing is lost but the number of lines; for many threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._written: dict[str, tuple[float, int]] = {}

    def count(self, words: str) -> int:
        """How often these words came since they were last written, with this time; 0: not to be written."""
        with self._lock:
            now = self._clock()
            at, since = self._written.get(words, (now - AGAIN_SECONDS, 0))
            if now - at < AGAIN_SECONDS:
                self._written[words] = (at, since + 1)
                return 0
            self._written.pop(words, None)
            self._written[words] = (now, 0)
            if len(self._written) > MOST_WORDS:
                del self._written[next(iter(self._written))]
            return since + 1
