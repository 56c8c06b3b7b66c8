"""Where the objects of a change lie on this machine: what was asked for goes in, a folder comes out."""

import asyncio

from affidavit.forges.address import PullRequestAddress, parse_change_url
from affidavit.forges.choice import read_request
from affidavit.forges.clones import locked
from affidavit.forges.credentials import find_credentials
from affidavit.forges.opening import Ground, fetch_change
from affidavit.forges.pull_request import PullRequest
from affidavit.records.review import WantedReview
from affidavit.service.settings import ServiceSettings


async def locate_source(settings: ServiceSettings, wanted: WantedReview) -> WantedReview:
    """The same request with the folder of its repository; commits of a forge are fetched first."""
    if wanted.url is None:
        return wanted
    address = parse_change_url(wanted.url, settings.forges)
    pull = await read_pull(settings, address)
    # Its words and its commits are those of the moment in which it was asked for.
    pull = pull.model_copy(update={"head": wanted.head or pull.head})
    return await asyncio.to_thread(_fetched, settings, address, pull, wanted)


async def read_pull(settings: ServiceSettings, address: PullRequestAddress) -> PullRequest:
    """A pull or merge request as it is now; the service's token is used here and goes no further."""
    credentials = find_credentials(address.host, "read", settings.environment)
    return await read_request(address, credentials, environment=settings.environment)


def _fetched(
    settings: ServiceSettings, address: PullRequestAddress, pull: PullRequest, wanted: WantedReview
) -> WantedReview:
    credentials = find_credentials(address.host, "read", settings.environment)
    clone = Ground(credentials, settings.cache, settings.environment).clone_of(address)
    with locked(clone.folder):
        base = fetch_change(clone, pull)
    return wanted.model_copy(
        update={
            "location": str(clone.folder),
            "base": base,
            "head": pull.head,
            "title": wanted.title or pull.title,
            "description": wanted.description or pull.whole_description,
            "discussion": pull.discussion,
            "dismissals": pull.dismissals,
        }
    )
