"""The one seam to a forge: read a pull request, see what stands there, apply one action."""

from typing import Protocol

from affidavit.forges.posting.actions import Action, Limits
from affidavit.forges.pull_request import PullRequest
from affidavit.forges.standing import Standing


class Forge(Protocol):
    """One pull request on one forge. Whoever reads holds no token that writes."""

    @property
    def limits(self) -> Limits:
        """What it accepts."""

    async def read(self) -> PullRequest:
        """The request with its words, comments and checks."""

    async def standing(self, head: str) -> Standing:
        """Our own comments and the answers to them, and what we said about the gate at this commit."""

    async def earlier_report(self) -> bytes | None:
        """The report that was posted last, from the run that posted it; None where there is none."""

    async def apply(self, action: Action) -> None:
        """Do one thing; raises ForgeError with the forge's status where it refuses."""

    async def close(self) -> None:
        """Let go of the connection."""
