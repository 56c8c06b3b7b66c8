"""Routes: the code behind a report, and the revisions of a repository."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel

from affidavit.records.context import ContextMap
from affidavit.records.record import Side
from affidavit.service.api.door import OwnReport, OwnReview, Reader, ThisServer, documented
from affidavit.service.api.visits import in_child, wanted_of
from affidavit.service.problems import Refusal

ROUTES = APIRouter(prefix="/api", tags=["code"])


class FileLines(BaseModel):
    """Lines of a file at one side of a change, redacted."""

    path: str
    side: Side
    commit: str | None
    start: int
    end: int
    total_lines: int
    lines: list[str]


class RecentCommit(BaseModel):
    """The newest commit of a branch."""

    sha: str
    subject: str
    date: str


class Revisions(BaseModel):
    """The names for base and head."""

    branches: list[str]
    tags: list[str]
    recent: list[RecentCommit]


@ROUTES.get("/review/{review_id}/file", responses=documented(404, 409, 502))
async def get_lines(
    report: OwnReport,
    review: OwnReview,
    parts: ThisServer,
    path: Annotated[str, Query(max_length=4_000)],
    side: Side = "head",
    start: Annotated[int, Query(ge=1)] = 1,
    end: Annotated[int, Query(ge=1)] = 2_000,
) -> FileLines:
    """Lines of a file as the review saw it: the code around a finding."""
    if start > end:
        raise Refusal(422, f"start ({start}) is after end ({end})", "Name the first line as start.")
    wanted = await asyncio.to_thread(wanted_of, parts, review)
    found = await in_child(
        parts,
        review.tenant,
        "lines",
        report=report.model_dump(mode="json"),
        folder=wanted.location if wanted else None,
        wanted={"path": path, "side": side, "start": start, "end": end},
    )
    if found is None:
        raise Refusal(
            404, f"there is no text {path!r} at {side}", "GET /api/review/{id}/report lists the files."
        )
    return FileLines.model_validate(found)


@ROUTES.get("/review/{review_id}/map", responses=documented(404, 409, 502))
async def get_map(report: OwnReport, review: OwnReview, parts: ThisServer) -> ContextMap:
    """The map of the change: what it touches, and what depends on it."""
    wanted = await asyncio.to_thread(wanted_of, parts, review)
    folder = wanted.location if wanted else None
    found = await in_child(parts, review.tenant, "map", report=report.model_dump(mode="json"), folder=folder)
    return ContextMap.model_validate(found)


@ROUTES.get("/repositories/{name}/revisions", responses=documented(404, 502))
async def get_revisions(
    name: Annotated[str, Path(max_length=200)], parts: ThisServer, caller: Reader
) -> Revisions:
    """Branches, tags and newest commits of a repository that lies on this machine."""
    known = await asyncio.to_thread(parts.access.repositories, caller.tenant)
    found = next((one for one in known if one.name == name), None)
    if found is None:
        raise Refusal(404, f"there is no repository {name!r}", "GET /api/me lists yours.")
    if "://" in found.location:
        # It is fetched only for a review, so callers must name the revisions.
        return Revisions(branches=[], tags=[], recent=[])
    return Revisions.model_validate(await in_child(parts, caller.tenant, "revisions", folder=found.location))
