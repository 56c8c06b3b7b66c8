"""Routes: who asks, what the server has and whether it is well, what a review costs, how good they are."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse

from affidavit.errors import StoreError
from affidavit.quality.measures import DIMENSIONS, measure_quality
from affidavit.records.measure import Dimension, Quality
from affidavit.records.service.review import KeptReview, ReviewOutcome
from affidavit.render.formats import FORMATS
from affidavit.service.api.asked import ReviewRequest
from affidavit.service.api.days import Day
from affidavit.service.api.door import Reader, RightsFirst, Submitter, ThisServer, documented
from affidavit.service.api.estimating import estimate_review
from affidavit.service.api.sample import BASE, DESCRIPTION, HEAD, TITLE, make_sample, sample_diff
from affidavit.service.api.shapes import (
    Estimated,
    Health,
    History,
    Me,
    MeasuredReview,
    RepositoryEntry,
    RepositoryList,
    SampleChange,
    SampleRepository,
)
from affidavit.service.api.visits import QUICK
from affidavit.service.parts import Parts
from affidavit.service.problems import AWAY, AWAY_HEADERS, FULL, LOG, STARTING
from affidavit.store.service.reviews import Filter

ROUTES = APIRouter(prefix="/api", tags=["about"], route_class=RightsFirst)


@ROUTES.get("/me", responses=documented())
async def me(parts: ThisServer, caller: Reader) -> Me:
    """Who asks, and what this server has."""
    settings = parts.settings
    repositories = await asyncio.to_thread(parts.access.repositories, caller.tenant)
    await asyncio.to_thread(parts.adoption.adopt, caller.tenant)
    return Me(
        tenant=caller.tenant,
        name=caller.name,
        roles=sorted(caller.roles),
        needs_token=settings.needs_token,
        version=settings.version,
        models={role: choice.model for role, choice in settings.models.items()},
        formats=list(FORMATS),
        repositories=[one.name for one in repositories],
        can_ask=bool(settings.models) and caller.may("submit"),
        can_run=settings.runs_for(caller.tenant),
        forges=[host.name for host in settings.forges],
        limits={"diff_bytes": settings.limits.diff_bytes},
        is_empty=not await asyncio.to_thread(parts.reviews.page, caller.tenant, Filter(), 1, None),
    )


@ROUTES.get("/repositories", responses=documented())
async def repositories(parts: ThisServer, caller: Reader) -> RepositoryList:
    """The repositories that can be named in a request."""
    known = await asyncio.to_thread(parts.access.repositories, caller.tenant)
    shown = [RepositoryEntry(name=one.name, location=one.location, added_at=one.added_at) for one in known]
    return RepositoryList(repositories=shown)


@ROUTES.get("/sample", responses=documented())
async def sample(_caller: Reader) -> SampleChange:
    """A change with problems in it, to try the service with."""
    return SampleChange(title=TITLE, description=DESCRIPTION, diff_text=sample_diff())


@ROUTES.post("/sample", responses=documented())
async def sample_repository(parts: ThisServer, caller: Submitter) -> SampleRepository:
    """The same change in a repository, made here: of it also those who depend on the change are known."""
    async with QUICK.of(caller.tenant):
        name = await asyncio.to_thread(make_sample, parts.settings.data, parts.access, caller.tenant)
    return SampleRepository(title=TITLE, description=DESCRIPTION, repository=name, base=BASE, head=HEAD)


@ROUTES.post("/estimate", responses=documented(501, 502))
async def estimate(body: ReviewRequest, parts: ThisServer, caller: Submitter) -> Estimated:
    """What the review of this request would pay: nothing that its series has paid for; no model is asked."""
    return await estimate_review(parts, caller, body)


@ROUTES.get("/quality", responses=documented())
async def quality(
    parts: ThisServer,
    caller: Reader,
    since: Day | None = None,
    by: Annotated[list[Dimension] | None, Query()] = None,
) -> Quality:
    """How often findings of the caller's reviews were wrong, as far as people have labelled them."""
    dimensions = tuple(by) if by else DIMENSIONS
    return await asyncio.to_thread(
        measure_quality, parts.store, since=since, dimensions=dimensions, tenant=caller.tenant
    )


@ROUTES.get("/quality/history", responses=documented())
async def history(
    parts: ThisServer, caller: Reader, limit: Annotated[int, Query(ge=1, le=500)] = 100
) -> History:
    """Cost, duration and what became of findings, review by review, the newest first."""
    done = Filter(status="completed")
    reviews = await asyncio.to_thread(parts.reviews.page, caller.tenant, done, limit, None)
    return History(reviews=[_measured(one) for one in reviews if one.outcome])


def _measured(review: KeptReview) -> MeasuredReview:
    outcome = review.outcome or ReviewOutcome()
    return MeasuredReview(
        review_id=review.id,
        at=review.finished_at or review.created_at,
        prompt_version=outcome.prompt_version,
        duration_ms=outcome.duration_ms,
        cost_usd=review.cost_usd,
        tokens=review.tokens,
        candidates=outcome.findings.shown + outcome.findings.withheld,
        shown=outcome.findings.shown,
        dropped=outcome.dropped,
        relocated=outcome.relocated,
        refuted=outcome.refuted,
    )


@ROUTES.head("/health", include_in_schema=False)
@ROUTES.get("/health")
async def health(parts: ThisServer) -> Health:
    """Whether the process lives."""
    return Health(status="ok", version=parts.settings.version)


@ROUTES.head("/ready", include_in_schema=False)
@ROUTES.get("/ready", responses={503: {"model": Health, "description": "Not now"}}, response_model=Health)
async def ready(parts: ThisServer) -> JSONResponse:
    """Whether the server can take reviews: its database answers, and its disk has room."""
    if not parts.is_open:
        return _not_ready(parts, STARTING)
    try:
        await parts.readiness.look()
    except (StoreError, TimeoutError) as error:
        # Whoever asks needs no token: the log says where the database is.
        LOG.warning(AWAY, reason=str(error) or "it is silent")
        return _not_ready(parts, AWAY)
    except OSError as error:
        LOG.warning(FULL, reason=str(error))
        return _not_ready(parts, FULL)
    return JSONResponse(Health(status="ok", version=parts.settings.version).model_dump())


def _not_ready(parts: Parts, reason: str) -> JSONResponse:
    state = Health(status="degraded", version=parts.settings.version, detail=reason)
    return JSONResponse(state.model_dump(), 503, headers=AWAY_HEADERS)
