"""What a function does, as far as its syntax tells, and whether it does nothing any more."""

import re
from collections.abc import Collection
from dataclasses import dataclass

TALK = re.compile(
    r"(?:print|console|warn(?:ings)?|log(?:ger|ging)?|(?:self|this)\.?_?log(?:ger)?)\b", re.IGNORECASE
)
"""How a call begins that only says something."""
UNREACHED = 0.5
"""So much of the old code behind an end makes a function a hollow one."""


@dataclass(frozen=True)
class Doing:
    """What a function does until it surely ends."""

    acts: bool = False
    """It changes something, calls something for its effect, or refuses something."""
    talks: bool = False
    """It prints or logs."""
    works_out: bool = False
    """It returns what depends on what it was given, or one of several values."""
    returns_a_name: bool = False
    """It returns what stands elsewhere: as good as a constant before, not after."""
    live: tuple[str, ...] = ()
    """Its statements to the end."""
    dead: tuple[str, ...] = ()
    """Its statements behind the end."""


def is_hollowed(before: Doing, now: Doing) -> bool:
    """It did something and does nothing any more, or its code stands behind an end."""
    does = before.acts or before.works_out
    still = now.acts or now.works_out or now.returns_a_name
    hidden = sum(one in now.dead for one in before.live)
    if hidden and hidden >= UNREACHED * len(before.live):
        return True
    return (does and not still) or (before.talks and not still and not now.talks)


def varied(answers: Collection[str], *, falls_through: bool) -> bool:
    """Whether these constants are more than one answer; who falls through the end returns nothing."""
    return len({*answers, *([""] if answers and falls_through else [])}) > 1
