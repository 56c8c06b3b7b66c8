"""Routes: who asks, what the server has and whether it is well, what a review costs, how good they are."""

import asyncio
from importlib.resources import files
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse

from affidavit.errors import StoreError
from affidavit.lab.labels.measures import DIMENSIONS, measure_quality
from affidavit.lab.rollout.book import RolloutBook
from affidavit.lab.rollout.choice import choose_outside_rollouts
from affidavit.records.lab.measure import Dimension, Quality
from affidavit.records.review import KeptReview, ReviewOutcome
from affidavit.render.formats import FORMATS
from affidavit.service.api.door import Reader, Submitter, ThisServer, documented
from affidavit.service.api.shapes import (
    Estimated,
    Health,
    History,
    Me,
    MeasuredReview,
    RepositoryEntry,
    RepositoryList,
    ReviewRequest,
    SampleChange,
)
from affidavit.service.api.submission import wanted_review
from affidavit.service.api.visits import in_a_cell
from affidavit.service.work.source import locate_source
from affidavit.store.reviews import Filter

ROUTES = APIRouter(prefix="/api", tags=["about"])
SAMPLE_TITLE = "Let customers redeem coupons"


@ROUTES.get("/me", responses=documented())
async def me(parts: ThisServer, caller: Reader) -> Me:
    """Who asks, and what this server has."""
    settings = parts.settings
    repositories = await asyncio.to_thread(parts.access.repositories, caller.tenant)
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
        can_run=settings.allows_run,
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
    diff = files("affidavit.service").joinpath("sample.diff").read_text()
    return SampleChange(
        title=SAMPLE_TITLE,
        description="Customers enter a code at the till; the total is reduced, and the code is used up.",
        diff_text=diff,
    )


@ROUTES.post("/estimate", responses=documented(501, 502))
async def estimate(body: ReviewRequest, parts: ThisServer, caller: Submitter) -> Estimated:
    """What a review would cost; no model is asked."""
    wanted = await wanted_review(parts, caller, body)
    settings = parts.settings
    if not settings.models:
        text = "No model is named: nothing would leave this machine, and nothing would be paid.\n"
        return Estimated(roles=[], input_tokens=0, output_tokens=0, cost_usd=0.0, text=text)
    wanted = await locate_source(settings, wanted)
    prompts = (await asyncio.to_thread(choose_outside_rollouts, RolloutBook(parts.store))).prompts
    done = await in_a_cell(
        parts,
        "estimate",
        first=wanted.model_dump(mode="json"),
        options={**settings.options, **wanted.options},
        environment=settings.cell_settings,
        models={role: choice.model_dump(mode="json") for role, choice in settings.models.items()},
        prompts={
            "version": prompts.version,
            "templates": dict(prompts.templates),
            "schema_version": prompts.schema_version,
        },
    )
    costs = [role["usd_without_cache"] for role in done["roles"]]
    return Estimated(
        **done,
        input_tokens=sum(role["input_tokens"] for role in done["roles"]),
        output_tokens=sum(role["output_tokens"] for role in done["roles"]),
        cost_usd=None if None in costs else sum(costs),
    )


@ROUTES.get("/quality", responses=documented())
async def quality(
    parts: ThisServer,
    _caller: Reader,
    since: Annotated[str | None, Query(pattern=r"^\d{4}-\d{2}-\d{2}$")] = None,
    by: Annotated[list[Dimension] | None, Query()] = None,
) -> Quality:
    """How often findings were wrong, as far as people have labelled them."""
    dimensions = tuple(by) if by else DIMENSIONS
    return await asyncio.to_thread(measure_quality, parts.store, since=since, dimensions=dimensions)


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


@ROUTES.get("/health")
async def health(parts: ThisServer) -> Health:
    """Whether the process lives."""
    return Health(status="ok", version=parts.settings.version)


@ROUTES.get("/ready", responses={503: {"model": Health, "description": "Not now"}}, response_model=Health)
async def ready(parts: ThisServer) -> JSONResponse:
    """Whether the server can take reviews: its database answers."""
    try:
        await asyncio.to_thread(parts.reviews.counts)
    except StoreError as error:
        state = Health(status="degraded", version=parts.settings.version, detail=str(error))
        return JSONResponse(state.model_dump(), 503)
    return JSONResponse(Health(status="ok", version=parts.settings.version).model_dump())
