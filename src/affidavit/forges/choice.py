"""From an address to the forge behind it, opened with what the user's side gives."""

import os
from collections.abc import Mapping

from affidavit.forges.address import PullRequestAddress
from affidavit.forges.credentials import Credentials
from affidavit.forges.port import Forge
from affidavit.forges.pull_request import PullRequest
from affidavit.forges.web import ForgeClient, Patience


def open_forge(
    address: PullRequestAddress,
    credentials: Credentials,
    patience: Patience | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Forge:
    """The forge of a pull request. The caller closes it."""
    web = ForgeClient(address.host, patience)
    account = environment.get("AFFIDAVIT_POST_AS", "").strip()
    if address.host.kind == "github":
        from affidavit.forges.github.forge import GitHub  # noqa: PLC0415 - only one of the two is needed

        return GitHub.opened(address, web, credentials, account)
    from affidavit.forges.gitlab.forge import GitLab  # noqa: PLC0415 - only one of the two is needed

    return GitLab.opened(address, web, credentials, account)


async def read_request(
    address: PullRequestAddress,
    credentials: Credentials,
    patience: Patience | None = None,
    environment: Mapping[str, str] = os.environ,
) -> PullRequest:
    """Read a pull request with its words, comments and checks."""
    forge = open_forge(address, credentials, patience, environment)
    try:
        return await forge.read()
    finally:
        await forge.close()
