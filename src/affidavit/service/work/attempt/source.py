"""Where the objects of a change lie on this machine: what was asked for goes in, a folder comes out."""

import asyncio
from pathlib import Path
from urllib.parse import urlsplit

from affidavit.forges.address import PullRequestAddress, parse_change_url
from affidavit.forges.choice import read_request
from affidavit.forges.clones import TooLargeError, locked
from affidavit.forges.opening import Ground, fetch_change
from affidavit.forges.pull_request import PullRequest
from affidavit.forges.reaching.credentials import find_credentials
from affidavit.forges.reaching.web import Patience
from affidavit.records.service.review import WantedReview
from affidavit.service.settings import ServiceSettings


async def locate_source(settings: ServiceSettings, wanted: WantedReview, cache: Path) -> WantedReview:
    """The same request with the folder of its repository; commits of a forge are fetched first."""
    if wanted.url is None:
        return wanted
    address = parse_change_url(wanted.url, settings.forges)
    pull = await read_pull(settings, address)
    # Its words and its commits are those of the moment in which it was asked for.
    pull = pull.model_copy(update={"head": wanted.head or pull.head})
    # Git makes a connection of its own; it follows no redirect.
    await settings.reach.check(urlsplit(address.clone_url).hostname or "")
    return await asyncio.to_thread(_fetched, settings, address, pull, wanted, cache)


async def read_pull(
    settings: ServiceSettings, address: PullRequestAddress, patience: Patience | None = None
) -> PullRequest:
    """A pull or merge request as it is now; the service's token is used here and goes no further."""
    credentials = find_credentials(address.host, "read", settings.environment)
    return await read_request(
        address, credentials, patience, environment=settings.environment, reach=settings.reach
    )


def _fetched(
    settings: ServiceSettings,
    address: PullRequestAddress,
    pull: PullRequest,
    wanted: WantedReview,
    cache: Path,
) -> WantedReview:
    credentials = find_credentials(address.host, "read", settings.environment)
    most = {"AFFIDAVIT_MAX_CLONE_MB": str(max(1, settings.limits.repository_bytes // 1_000_000))}
    clone = Ground(credentials, cache, {**settings.environment, **most}).clone_of(address)
    try:
        with locked(clone.folder):
            base = fetch_change(clone, pull)
    except TooLargeError as error:
        raise TooLargeError(
            f"{address.clone_url} has more than the {settings.limits.repository_bytes:,} bytes that this"
            " service takes: send the diff alone, or ask the operator to raise --repository-bytes"
        ) from error
    return wanted.model_copy(
        update={
            "location": str(clone.folder),
            "base": base,
            "head": pull.head,
            "base_name": pull.base_branch,
            "head_name": pull.head_branch,
            "title": wanted.title or pull.title,
            "description": wanted.description or pull.whole_description,
            "discussion": pull.discussion,
            "dismissals": pull.dismissals,
        }
    )
