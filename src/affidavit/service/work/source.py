"""Where the objects of a change lie on this machine: what was asked for goes in, a folder comes out."""

from affidavit.records.review import WantedReview
from affidavit.service.settings import ServiceSettings


async def locate_source(_settings: ServiceSettings, wanted: WantedReview) -> WantedReview:
    """The same request with the folder of its repository."""
    return wanted
