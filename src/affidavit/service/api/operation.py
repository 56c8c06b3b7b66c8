"""Routes for operators: metrics for Prometheus, the audit log, and deleting what is too old."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from affidavit.service.api.door import Admin, Reader, ThisServer, documented
from affidavit.service.api.ending import delete_reviews
from affidavit.service.telemetry.metrics import render_metrics
from affidavit.store.access import AuditEntry

ROUTES = APIRouter(tags=["operation"])


class AuditPage(BaseModel):
    """What was done, the newest first."""

    entries: list[AuditEntry]


class Purged(BaseModel):
    """How many reviews are gone."""

    deleted: int


@ROUTES.get(
    "/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}, **documented()}
)
async def metrics(parts: ThisServer, _caller: Reader) -> Response:
    """What this server and its worker count, for Prometheus."""
    counts = await asyncio.to_thread(parts.reviews.counts)
    text, media_type = render_metrics(counts)
    return Response(text, media_type=media_type)


@ROUTES.get("/api/audit", responses=documented())
async def audit(
    parts: ThisServer, caller: Admin, limit: Annotated[int, Query(ge=1, le=1_000)] = 100
) -> AuditPage:
    """The audit log of the caller's tenant."""
    return AuditPage(entries=await asyncio.to_thread(parts.access.audit, caller.tenant, limit))


@ROUTES.delete("/api/review", responses=documented())
async def purge(
    parts: ThisServer,
    caller: Admin,
    before: Annotated[str, Query(pattern=r"^\d{4}-\d{2}-\d{2}$", description="A day, UTC.")],
) -> Purged:
    """Delete the caller's reviews that ended before a day, with all that was kept of them."""
    deleted = 0
    while names := await asyncio.to_thread(parts.reviews.finished_before, before, caller.tenant):
        found = [await asyncio.to_thread(parts.reviews.find, name, caller.tenant) for name in names]
        await delete_reviews(parts, caller, [one for one in found if one])
        deleted += len(names)
    return Purged(deleted=deleted)
