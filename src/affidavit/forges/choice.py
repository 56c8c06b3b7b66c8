"""Open the forge of a pull request; `Forge` is the seam that both forges implement."""

import os
from collections.abc import Mapping
from typing import Protocol

from affidavit.errors import SettingsError
from affidavit.forges.address import PullRequestAddress
from affidavit.forges.credentials import Credentials
from affidavit.forges.posting.actions import Action, Limits
from affidavit.forges.pull_request import PullRequest
from affidavit.forges.standing import Standing
from affidavit.forges.web import ForgeClient, Patience, Reach


class Forge(Protocol):
    """One pull request on one forge. Whoever reads holds no token that writes."""

    @property
    def limits(self) -> Limits:
        """Return the limits of the forge."""

    async def read(self) -> PullRequest:
        """Read the request with its description, comments and checks."""

    async def standing(self, head: str) -> Standing:
        """Read our own comments, the answers to them, and the gate at this commit."""

    async def earlier_report(self) -> bytes | None:
        """Read the report that was posted last; None if there is none."""

    async def apply(self, action: Action) -> None:
        """Do one thing; raises ForgeError with the forge's status where it refuses."""

    async def close(self) -> None:
        """Close the connection."""


def open_forge(
    address: PullRequestAddress,
    credentials: Credentials,
    patience: Patience | None = None,
    environment: Mapping[str, str] = os.environ,
    reach: Reach | None = None,
) -> Forge:
    """Open the forge of a pull request. The caller closes it."""
    web = ForgeClient(address.host, patience, reach=reach)
    account = environment.get("AFFIDAVIT_POST_AS", "").strip()
    if address.host.kind == "github":
        # Only one of the two is needed.
        from affidavit.forges.github.client import GitHubClient  # noqa: PLC0415
        from affidavit.forges.github.forge import GitHub  # noqa: PLC0415

        return GitHub(GitHubClient(address, web, credentials, account))
    from affidavit.forges.gitlab.client import GitLabClient  # noqa: PLC0415
    from affidavit.forges.gitlab.forge import GitLab  # noqa: PLC0415

    return GitLab(GitLabClient(address, web, credentials, account))


async def read_earlier(
    address: PullRequestAddress,
    credentials: Credentials,
    patience: Patience | None = None,
    environment: Mapping[str, str] = os.environ,
) -> bytes | None:
    forge = open_forge(address, credentials, patience, environment)
    try:
        return await forge.earlier_report()
    finally:
        await forge.close()


async def read_kept_by_job(
    address: PullRequestAddress,
    credentials: Credentials,
    job: str,
    file: str,
    patience: Patience | None = None,
    environment: Mapping[str, str] = os.environ,
) -> bytes:
    """Read an artifact of another job of this GitLab pipeline."""
    if address.host.kind != "gitlab":
        raise SettingsError(f"job:{job} is for jobs of GitLab: name a file")
    from affidavit.forges.gitlab.client import GitLabClient, read_kept  # noqa: PLC0415 - only one is needed

    client = GitLabClient(address, ForgeClient(address.host, patience), credentials)
    try:
        return await read_kept(client, job, file, environment)
    finally:
        await client.close()


async def read_request(
    address: PullRequestAddress,
    credentials: Credentials,
    patience: Patience | None = None,
    environment: Mapping[str, str] = os.environ,
    reach: Reach | None = None,
) -> PullRequest:
    forge = open_forge(address, credentials, patience, environment, reach)
    try:
        return await forge.read()
    finally:
        await forge.close()
