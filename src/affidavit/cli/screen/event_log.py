"""Write the events of a review to a file while it runs, one JSON object a line."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from affidavit.cli.screen.saying import say
from affidavit.errors import SettingsError
from affidavit.events import Emit, Event


@contextmanager
def kept_events(path: Path | None, emit: Emit) -> Iterator[Emit]:
    """Yield what takes events for `emit`, and for the file where one is named."""
    if path is None:
        yield emit
        return
    try:
        # Unbuffered: others follow, and nothing is left to be written when the file is closed.
        file = path.open("wb", buffering=0)
    except OSError as error:
        raise SettingsError(f"--events: {path} cannot be written: {error.strerror}") from error
    with file:
        log = EventLog(file)

        def both(event: Event) -> None:
            emit(event)
            log.write(event)

        yield both
    if log.failure:
        say(f"not all events were written to {path}: {log.failure}")


class EventLog:
    """A file of events, which come from several threads; one that fails does not end the review."""

    def __init__(self, file: IO[bytes]) -> None:
        self.failure = ""
        self._file = file
        self._lock = threading.Lock()

    def write(self, event: Event) -> None:
        """Add a line, at once, so that others can follow."""
        entry = {"type": event.name, "data": event.data, "timestamp": event.data.get("timestamp", "")}
        line = json.dumps(entry, default=str)
        with self._lock:
            if self.failure:
                return
            try:
                self._file.write(line.encode() + b"\n")
            except OSError as error:
                self.failure = error.strerror or type(error).__name__
