"""Open the forge of a pull request; `Forge` is the seam that both forges implement."""

import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, TypeVar

from affidavit.forges.address import PullRequestAddress
from affidavit.forges.credentials import Credentials
from affidavit.forges.posting.actions import Action, Limits
from affidavit.forges.pull_request import PullRequest
from affidavit.forges.standing import Standing
from affidavit.forges.web import CheckName, ForgeClient, Patience

T = TypeVar("T")


class Forge(Protocol):
    """One pull request on one forge."""

    @property
    def limits(self) -> Limits:
        """Return the limits of the forge."""

    async def read(self) -> PullRequest:
        """Read the request with its description, comments and checks."""

    async def standing(self, head: str) -> Standing:
        """Read our own comments, the answers to them, and the gate at this commit."""

    async def earlier_report(self) -> bytes | None:
        """Read the report that was posted last; None if there is none."""

    async def kept_by_job(self, job: str, file: str, environment: Mapping[str, str]) -> bytes:
        """Read an artifact of another job of this pipeline; raise SettingsError if there are no such jobs."""

    async def apply(self, action: Action) -> None:
        """Apply one action; raise ForgeError with the forge's status if it refuses."""

    async def close(self) -> None:
        """Close the connection."""


def open_forge(
    address: PullRequestAddress,
    credentials: Credentials,
    patience: Patience | None = None,
    environment: Mapping[str, str] = os.environ,
    check_name: CheckName | None = None,
) -> Forge:
    """Open the forge of a pull request. The caller closes it."""
    web = ForgeClient(address.host, patience, check_name=check_name)
    account = environment.get("AFFIDAVIT_POST_AS", "").strip()
    if address.host.kind == "github":
        # Only one of the two is needed.
        from affidavit.forges.github.forge import GitHub  # noqa: PLC0415

        return GitHub(address, web, credentials, account)
    from affidavit.forges.gitlab.forge import GitLab  # noqa: PLC0415

    return GitLab(address, web, credentials, account)


async def ask_forge(
    address: PullRequestAddress,
    credentials: Credentials,
    ask: Callable[[Forge], Awaitable[T]],
    patience: Patience | None = None,
    environment: Mapping[str, str] = os.environ,
    check_name: CheckName | None = None,
) -> T:
    """Open the forge of a pull request, ask it something, and close the connection."""
    forge = open_forge(address, credentials, patience, environment, check_name)
    try:
        return await ask(forge)
    finally:
        await forge.close()
