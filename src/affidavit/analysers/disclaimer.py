"""What a file says of itself that would excuse a diagnostic, and what that is worth: only base excuses."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Worth = Literal["drops", "withholds", "nothing"]


@dataclass(frozen=True)
class Disclaimer:
    """A reason that the text of a file gives why a diagnostic in it is no finding: a template, a dialect."""

    reason: str
    said_before: Callable[[bytes], bool]
    """Whether the content of the file at base says the same."""
    is_open: bool = False
    """It is code of the file, or what the analyser cannot read: then nothing is proven without it either."""

    def worth(self, before: bytes | None, *, is_fault: bool, was_read: bool) -> Worth:
        """What it does to the diagnostic of a file that had the content `before` at base, if it was there.

        `is_fault`: the diagnostic says that the file does not parse. `was_read`: the analyser read the file
        at base, so that it was in its language and parsed.
        """
        is_old = before is not None and self.said_before(before)
        if is_old and not is_fault:
            return "drops"
        return "withholds" if is_old or self.is_open or not was_read else "nothing"


Excuse = str | Disclaimer
"""Why a diagnostic is no finding: whatever the change says, or by what its file says of itself."""
