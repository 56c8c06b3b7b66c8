"""Routes: the caller, health, estimates, quality and the sample."""

import asyncio
import shutil
import tempfile
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse

from affidavit.errors import StoreError
from affidavit.events import now_iso
from affidavit.forges.clones import locked
from affidavit.git.command import Git
from affidavit.quality.measures import DIMENSIONS, measure_quality
from affidavit.records.change import Change
from affidavit.records.iteration import StoredIteration
from affidavit.records.measure import Dimension, Quality
from affidavit.render.formats import FORMATS
from affidavit.service.api.access import Caller
from affidavit.service.api.door import Reader, RightsFirst, Submitter, ThisServer, documented
from affidavit.service.api.shapes import (
    Estimated,
    Health,
    Me,
    ReviewRequest,
    SampleRepository,
)
from affidavit.service.api.submission import new_review, wanted_review
from affidavit.service.api.visits import LONG, QUICK, child_for
from affidavit.service.kept.access import Access, KnownRepository
from affidavit.service.kept.records import WantedReview
from affidavit.service.parts import Parts
from affidavit.service.problems import AWAY, AWAY_HEADERS, FULL, LOG, STARTING
from affidavit.service.work.terms import Series, locate_source, models_for, options_for, prompts_for
from affidavit.system.private_files import make_private_folder

NO_MODEL = "No model is named: nothing would leave this machine, and nothing would be paid.\n"
ANSWERED = (
    "This change has a review already: whoever asks for it gets that one, and nothing is paid for it again."
    " `again` asks for a new one.\n"
)


async def estimate_review(parts: Parts, caller: Caller, body: ReviewRequest) -> Estimated:
    """Estimate the cost of a requested review."""
    wanted = await wanted_review(parts, caller, body)
    if not parts.settings.models:
        return _nothing(NO_MODEL)
    new = await asyncio.to_thread(new_review, parts, caller, wanted)
    if not body.again and await asyncio.to_thread(parts.reviews.has_answer, new):
        return _nothing(ANSWERED)
    async with LONG.of(caller.tenant):
        with parts.caches.used(caller.tenant) as cache:
            located = await locate_source(parts.settings, wanted, cache)
            done = await _estimated(parts, caller.tenant, located)
    costs = [role["usd_without_cache"] for role in done["roles"]]
    return Estimated(
        **done,
        input_tokens=sum(role["input_tokens"] for role in done["roles"]),
        output_tokens=sum(role["output_tokens"] for role in done["roles"]),
        cost_usd=None if None in costs else sum(costs),
    )


async def _estimated(parts: Parts, tenant: str, wanted: WantedReview) -> dict[str, Any]:
    """Estimate a review with the same earlier review and prompts as the real one."""
    settings = parts.settings
    async with child_for(parts, tenant) as child:
        opened = await child.call("open", wanted=wanted.model_dump(mode="json"))
        change = Change.model_validate(opened["change"])

        async def is_merged(before: StoredIteration) -> bool:
            return bool(await child.call("merged", iteration=before.model_dump(mode="json")))

        earlier = await Series(parts.store, tenant, opened["repository"], wanted).before(is_merged, change)
        drawn = await asyncio.to_thread(prompts_for, settings, parts.store, change)
        done: dict[str, Any] = await child.call(
            "estimate",
            options=options_for(settings, wanted, tenant),
            environment=settings.cell_settings,
            models=models_for(settings),
            prompts=drawn["prompts"],
            earlier=earlier,
        )
        return done


def _nothing(text: str) -> Estimated:
    return Estimated(roles=[], input_tokens=0, output_tokens=0, cost_usd=0.0, text=text)


NAME = "sample-shop"
BASE, HEAD = "before", "after"
TITLE = "Let customers redeem coupons"
DESCRIPTION = "Customers enter a code at the till; the total is reduced, and the code is used up."


def make_sample(data: Path, access: Access, tenant: str) -> str:
    """Make the sample repository if it is missing, and return its name."""
    folder = data / "sample" / f"{NAME}.git"
    make_private_folder(folder.parent)
    with locked(folder):
        if not (folder / "HEAD").is_file():
            _import(folder)
    known = KnownRepository(tenant=tenant, name=NAME, location=str(folder.resolve()), added_at=now_iso())
    access.add_repository(known)
    return NAME


def _import(folder: Path) -> None:
    """Import the sample in one step, so that a killed process leaves nothing half-made."""
    unfinished = Path(tempfile.mkdtemp(dir=folder.parent, prefix="unfinished-"))
    try:
        git = Git(unfinished)
        git.run("init", "-q", "--bare", "--template=", f"--initial-branch={HEAD}", ".")
        stream = files("affidavit.service").joinpath("sample.stream").read_bytes()
        git.run("fast-import", "--quiet", stdin=stream)
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


ROUTES = APIRouter(prefix="/api", tags=["about"], route_class=RightsFirst)


@ROUTES.get("/me", responses=documented())
async def me(parts: ThisServer, caller: Reader) -> Me:
    """The caller, and what this server offers."""
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
        forges=[host.name for host in settings.forges],
    )


@ROUTES.post("/sample", responses=documented())
async def sample_repository(parts: ThisServer, caller: Submitter) -> SampleRepository:
    """Make a repository with the sample change."""
    async with QUICK.of(caller.tenant):
        name = await asyncio.to_thread(make_sample, parts.settings.data, parts.access, caller.tenant)
    return SampleRepository(title=TITLE, description=DESCRIPTION, repository=name, base=BASE, head=HEAD)


@ROUTES.post("/estimate", responses=documented(501, 502))
async def estimate(body: ReviewRequest, parts: ThisServer, caller: Submitter) -> Estimated:
    """Estimate the cost of a review; no model is asked."""
    return await estimate_review(parts, caller, body)


@ROUTES.get("/quality", responses=documented())
async def quality(
    parts: ThisServer,
    caller: Reader,
    since: date | None = None,
    by: Annotated[list[Dimension] | None, Query()] = None,
) -> Quality:
    """How often findings of the caller's reviews were wrong, as far as people have labelled them."""
    dimensions = tuple(by) if by else DIMENSIONS
    return await asyncio.to_thread(
        measure_quality,
        parts.store,
        since=since.isoformat() if since else None,
        dimensions=dimensions,
        tenant=caller.tenant,
    )


@ROUTES.head("/health", include_in_schema=False)
@ROUTES.get("/health")
async def health(parts: ThisServer) -> Health:
    """Whether the process runs."""
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
