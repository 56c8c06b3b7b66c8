"""Serve the route for operators: metrics for Prometheus."""

import asyncio

from fastapi import APIRouter, Response

from affidavit.records.iteration import DEFAULT_TENANT
from affidavit.service.api.door import Reader, ThisServer, documented
from affidavit.service.metrics import render_metrics
from affidavit.service.problems import Refusal

ROUTES = APIRouter(tags=["operation"])


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
