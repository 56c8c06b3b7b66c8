"""A command as people read it: its words in, one short line out."""

from collections import Counter
from collections.abc import Sequence

MOST_REPEATED = 3
LONGEST = 200


def shortened(command: Sequence[str]) -> str:
    """The command, with an option that is given many times written once, and cut where it is long."""
    counted = Counter(_option(part) for part in command)
    parts: list[str] = []
    for part in command:
        often = counted[_option(part)] if part.startswith("-") else 1
        shown = f"{_option(part)}=… ({often} times)" if often > MOST_REPEATED else part
        if often <= MOST_REPEATED or shown not in parts:
            parts.append(shown)
    text = " ".join(parts)
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rpartition(' ')[0]} …"


def _option(part: str) -> str:
    return part.partition("=")[0]
