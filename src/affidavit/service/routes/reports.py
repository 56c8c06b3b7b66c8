"""Routes: the report of a review in every format, and rechecking it."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from affidavit.records.report import Report
from affidavit.render.formats import FORMATS, NATIVE, FormatRequest, RenderOptions, redacted, render
from affidavit.render.view import ReportView, view_of
from affidavit.service.api.door import (
    OwnReport,
    OwnReview,
    Submitter,
    ThisServer,
    documented,
    no_report,
)
from affidavit.service.api.shapes import RecheckResult
from affidavit.service.api.visits import visit
from affidavit.service.problems import Refusal

ROUTES = APIRouter(prefix="/api/review/{review_id}", tags=["reports"])
MEDIA_TYPES = {
    ".json": "application/json",
    ".sarif": "application/sarif+json",
    ".md": "text/markdown; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".xml": "application/xml",
}
NO_SCRIPTS = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
"""A page made of hostile text runs nothing, even if everything else fails."""


@ROUTES.get("/report", response_model=Report, responses=documented(404, 409))
async def get_report(report: OwnReport) -> Response:
    """The whole report, redacted; `/report/report` has the original."""
    text = await asyncio.to_thread(lambda: render(redacted(report), NATIVE))
    return Response(text, media_type="application/json")


@ROUTES.get("/report/view", responses=documented(404, 409))
async def get_view(report: OwnReport) -> ReportView:
    """The report as the page shows it, redacted."""
    return await asyncio.to_thread(lambda: view_of(redacted(report)))


@ROUTES.get("/report/report", response_model=Report, responses=documented(404, 409))
async def get_kept_report(review: OwnReview, parts: ThisServer, download: bool = False) -> Response:
    """The original report, unredacted, byte for byte, for `affidavit recheck`."""
    body = await asyncio.to_thread(parts.store.reports.load_bytes, review.id) if review.verdict else None
    if body is None:
        raise no_report(review)
    headers = _as_file(review.id, FORMATS[NATIVE].ending) if download else {}
    return Response(body, media_type="application/json", headers=headers)


@ROUTES.get(
    "/report/{format}",
    responses={
        200: {"description": "The report in that format.", "content": {"text/plain": {}}},
        **documented(404, 409),
    },
    response_class=Response,
)
async def get_format(
    report: OwnReport,
    format: Annotated[str, Path(description=f"One of {', '.join(FORMATS)}.")],  # noqa: A002 - the word of users
    version: Annotated[str, Query(max_length=20)] = "",
    withheld: bool = False,
    nits: bool = False,
    verbose: bool = False,
    download: bool = False,
) -> Response:
    """The report in any format."""
    chosen = FORMATS.get(format)
    if chosen is None:
        raise Refusal(404, f"there is no format {format!r}", f"Known: {', '.join(FORMATS)}.")
    if version and version not in chosen.versions:
        raise Refusal(
            422, f"format {format} has no version {version!r}", f"Known: {', '.join(chosen.versions)}."
        )
    default = chosen.versions[0] if chosen.versions else ""
    view = RenderOptions(show_withheld=withheld, show_nits=nits, is_verbose=verbose)
    text = await asyncio.to_thread(render, report, FormatRequest(format, version or default), view)
    headers = {"Content-Security-Policy": NO_SCRIPTS} if format == "html" else {}
    # The page has scripts: it opens from disk, never as a page of this service.
    if download or format == "html":
        headers |= _as_file(report.id, chosen.ending)
    media_type = MEDIA_TYPES.get(chosen.ending, "text/plain; charset=utf-8")
    return Response(text, media_type=media_type, headers=headers)


def _as_file(name: str, ending: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}{ending}"'}


@ROUTES.post("/recheck", responses=documented(404, 409, 502))
async def recheck(
    report: OwnReport, review: OwnReview, parts: ThisServer, _caller: Submitter
) -> RecheckResult:
    """Derive the report again from its inputs, and compare."""
    return RecheckResult.model_validate(await visit(parts, review, report, "recheck"))


@ROUTES.post("/findings/{finding_id}/recheck", responses=documented(404, 409, 502))
async def recheck_finding(
    finding_id: str, report: OwnReport, review: OwnReview, parts: ThisServer, _caller: Submitter
) -> RecheckResult:
    """Recheck one finding: the change, its quote, its searches, its analyser."""
    if finding_id not in {one.id for one in report.candidates}:
        raise Refusal(404, f"the review has no finding {finding_id!r}")
    return RecheckResult.model_validate(await visit(parts, review, report, "recheck", finding=finding_id))
