"""How a part of a test ends: what that says of the statements behind it."""

from collections.abc import Sequence
from typing import Literal

Ending = Literal["goes on", "fails", "may leave", "leaves", "may stop", "stops"]
"""Of the statements behind it is said: nothing; not reached, but the test fails, is skipped, or has checked
something; perhaps, or surely not reached in this function; the same of this round of a loop."""


def either(endings: Sequence[Ending]) -> Ending:
    """How several branches end, one of which is taken."""
    found = set(endings)
    if found <= {"leaves", "fails"} and "leaves" in found:
        return "leaves"
    if found & {"leaves", "may leave"}:
        return "may leave"
    if found & {"stops", "may stop"}:
        return "stops" if found == {"stops"} else "may stop"
    return "fails" if found == {"fails"} else "goes on"
