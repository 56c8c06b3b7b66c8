"""The lending desk; several counters use one desk at the same time, each in a thread of its own."""

import threading


class Refused(Exception):
    """The loan is not given; the text is meant for the reader."""


class Desk:
    def __init__(self, copies: dict[str, int]) -> None:
        self._lock = threading.Lock()
        self._copies = dict(copies)
        self._loans: dict[str, list[str]] = {}

    def lend(self, reader: str, title: str) -> None:
        """Lend a copy; raises Refused where none is left."""
        with self._lock:
            self._take(title)
            self._loans.setdefault(reader, []).append(title)

    def give_back(self, reader: str, title: str) -> None:
        with self._lock:
            self._loans[reader].remove(title)
            self._copies[title] += 1

    def _take(self, title: str) -> None:
        if self._copies.get(title, 0) < 1:
            raise Refused(f"no copy of {title} is left")
        self._copies[title] -= 1
