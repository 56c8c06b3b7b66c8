"""Write messages to standard error; quoted text is made safe, and a failed write is ignored."""

import sys
from contextlib import suppress

from affidavit.render.safe_text import encodable, visible, without_command_start

CONTINUED = "  "


def say(text: str, *, start: str = "affidavit: ") -> None:
    """Write a text to standard error; further lines are indented, so none looks like ours."""
    first, *others = text.split("\n")
    more = (CONTINUED + without_command_start(visible(line)) for line in others if line.strip())
    lines = [start + visible(first), *more]
    # A full or closed log must not end the review.
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(encodable("".join(f"{line}\n" for line in lines), sys.stderr.encoding or "utf-8"))
        sys.stderr.flush()


def note(text: str) -> None:
    """Write a note that does not stop the work."""
    say(text, start="note: ")
