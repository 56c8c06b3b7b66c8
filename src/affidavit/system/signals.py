"""Treat signals that ask a program to end like an interrupt from the keyboard."""

import signal
import time
from types import FrameType

ENDING = (signal.SIGTERM, signal.SIGHUP)
"""Signals beside SIGINT, which Python handles; SIGHUP comes when the terminal is closed."""
AGAIN_SECONDS = 10.0
"""After this time another request is passed on, in case the first was lost."""
_received: list[int] = []
_passed_on: list[float] = []


def listen_for_the_end() -> None:
    """Handle requests to end; a signal that the user ignores stays ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and hasattr(signal, "pthread_sigmask"):
        # Shells start background programs with interrupts ignored. They stay ignored, but an
        # event loop only listens where Python has a handler, and that is what the others are passed on to.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, pass_on_as_interrupt)


def is_asked_to_end() -> bool:
    """Check whether a request to end has come: failures after it are its result."""
    return bool(_received)


def listen_no_more() -> None:
    """Ignore further requests to end."""
    if _received:
        for number in (signal.SIGINT, *ENDING):
            signal.signal(number, signal.SIG_IGN)


def exit_code_of_interrupt() -> int:
    """Return the shell's code: 128 plus the number of the signal."""
    return 128 + (_received[0] if _received else signal.SIGINT)


def pass_on_as_interrupt(number: int, frame: FrameType | None) -> None:
    """Treat a request to end like Ctrl-C; ignore repeats."""
    _received.append(number)
    now = time.monotonic()
    # An event loop takes the second one as an exception at whatever line happens to run: between the start of
    # a child and the wait for it, the end of that child would go unnoticed.
    if _passed_on and now - _passed_on[-1] < AGAIN_SECONDS:
        return
    _passed_on.append(now)
    # An event loop takes this as a request to end, and lets its tasks clean up.
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)
