"""The end of a process that was told to end: how long it may take in, its hard end after that out."""

import os
import sys
import threading

import structlog

LOG = structlog.get_logger("affidavit")
UNOPENED_SECONDS = 3.0
"""Of a process that still waits for its database: nothing is under way there."""
GRACE_SECONDS = 10.0
"""After what is under way had its time."""


class Deadline:
    """Once begun, it ends this process where something hangs; reviews go on elsewhere from a step."""

    def __init__(self) -> None:
        self._is_begun = False

    def begin(self, seconds: float) -> None:
        """Let this process have so long from now, however often it is told to end."""
        if self._is_begun:
            return
        self._is_begun = True
        # Also where the interpreter waits for threads that hang, this one goes on and keeps nobody.
        timer = threading.Timer(seconds, _end_hard, args=(seconds,))
        timer.daemon = True
        timer.start()


def _end_hard(seconds: float) -> None:
    LOG.warning("ended hard: something did not end in time, as a database that is silent", seconds=seconds)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
