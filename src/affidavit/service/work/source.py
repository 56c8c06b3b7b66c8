"""Where the objects of a change lie on this machine: what was asked for goes in, a folder comes out."""

from pathlib import Path

from affidavit.records.review import WantedReview
from affidavit.service.settings import ServiceSettings


async def locate_source(settings: ServiceSettings, wanted: WantedReview) -> WantedReview:
    """The same request with the folder of its repository."""
    if wanted.location is None:
        return wanted
    folder = await folder_of(settings, wanted.location)
    return wanted.model_copy(update={"location": str(folder)})


async def folder_of(_settings: ServiceSettings, location: str) -> Path:
    """The folder of a repository that the service knows."""
    return Path(location)
