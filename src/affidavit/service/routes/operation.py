"""Routes for operators: metrics for Prometheus, the audit log, and deleting what is too old."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from affidavit.records.iteration import DEFAULT_TENANT
from affidavit.service.api.door import Admin, Reader, ThisServer, documented
from affidavit.service.api.shapes import Day
from affidavit.service.kept.access import AuditEntry
from affidavit.service.metrics import render_metrics
from affidavit.service.problems import Refusal

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
async def metrics(parts: ThisServer, caller: Reader) -> Response:
    """What this server and its worker count, of all tenants, for Prometheus; only for the operator's own."""
    if caller.tenant != DEFAULT_TENANT:
        raise Refusal(
            403,
            "metrics tell of all tenants",
            f"Scrape with a token of the tenant {DEFAULT_TENANT}: `affidavit token create NAME --role read`.",
        )
    counts = await asyncio.to_thread(parts.reviews.counts)
    tenants = await asyncio.to_thread(parts.access.tenants)
    text, media_type = render_metrics(counts, {DEFAULT_TENANT, *tenants})
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
    before: Day,
) -> Purged:
    """Delete the caller's reviews that ended before a day, with all that was kept of them."""
    return Purged(deleted=await parts.forgetting.forget_before(before, caller.name, caller.tenant))
