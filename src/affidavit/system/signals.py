"""Signals that ask a program to end: each is noted and passed on like an interrupt from the keyboard."""

import signal

ENDING = (signal.SIGTERM, signal.SIGHUP)
"""Beside SIGINT, which Python passes on by itself; SIGHUP comes when the terminal is closed."""
_received: list[int] = []


def listen_for_the_end() -> None:
    """Let requests to end clean up behind what is under way; one that the user has ignored stays ignored."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, pass_on_as_interrupt)


def is_asked_to_end() -> bool:
    """A request to end has come: whatever fails now, fails because of it."""
    return bool(_received)


def listen_no_more() -> None:
    """Once a request to end is obeyed, another one changes nothing: not even how the program ends."""
    if _received:
        for number in (signal.SIGINT, *ENDING):
            signal.signal(number, signal.SIG_IGN)


def exit_code_of_interrupt() -> int:
    """As a shell says it: 128 and the number of the signal."""
    return 128 + (_received[0] if _received else signal.SIGINT)


def pass_on_as_interrupt(number: int, _frame: object) -> None:
    """Treat a request to end like the one from the keyboard."""
    _received.append(number)
    # An event loop takes this signal as a wish to end, and lets what is under way clean up behind itself;
    # an exception raised here would strike whatever line happens to run.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.raise_signal(signal.SIGINT)
        return
    # Shells start what runs in the background so that interrupts are lost on it; this request must not be.
    raise KeyboardInterrupt
