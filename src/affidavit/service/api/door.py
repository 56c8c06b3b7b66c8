"""Provide what routes depend on: the caller, the role, the tenant's review."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any, cast

from fastapi import Depends, Path, Request, Response
from fastapi.openapi.constants import REF_TEMPLATE
from fastapi.routing import APIRoute
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from affidavit.records.report import Report
from affidavit.service.api.access import LOCAL, Admission, Caller, Role, caller_with, token_in
from affidavit.service.kept.records import KeptReview
from affidavit.service.parts import Parts
from affidavit.service.problems import MEDIA_TYPE, Problem, Refusal
from affidavit.service.streaming import Watch

ReviewId = Annotated[
    str,
    Path(
        pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
        description="The id that POST /api/review answered.",
    ),
]


# These are async, because the framework uses a thread per request for other functions.
async def parts_of(request: Request) -> Parts:
    """Return the parts of this server."""
    return cast("Parts", request.app.state.parts)


async def watch_of(request: Request) -> Watch:
    """Return the watch over running reviews."""
    return cast("Watch", request.app.state.watch)


async def may_stay_of(request: Request) -> Callable[[], Awaitable[bool]]:
    """Return a function that checks whether a stream's token is still valid."""
    admission = cast("Admission", request.app.state.admission)
    return lambda: admission.holds(token_in(request.headers.get("authorization")))


ThisServer = Annotated[Parts, Depends(parts_of)]
Watching = Annotated[Watch, Depends(watch_of)]
MayStay = Annotated[Callable[[], Awaitable[bool]], Depends(may_stay_of)]


BEARER = HTTPBearer(
    auto_error=False,
    scheme_name="token",
    description="A token of `affidavit token create`; on loopback none is needed.",
)
"""Only documents the header; it is read below."""


async def caller_of(
    request: Request,
    parts: ThisServer,
    _documented: Annotated[HTTPAuthorizationCredentials | None, Depends(BEARER)],
) -> Caller:
    """Return the caller; on loopback that is the user of this machine."""
    known = getattr(request.state, "caller", None)
    if isinstance(known, Caller):
        return known
    header = request.headers.get("authorization")
    if not parts.settings.needs_token and header is None:
        return LOCAL
    try:
        return await asyncio.to_thread(caller_with, parts.access, token_in(header))
    except Refusal:
        # Unknown tokens count by their address, so that a new token is not a new caller.
        request.app.state.pace.take(request.client.host if request.client else "")
        raise


class RightsFirst(APIRoute):
    """A route that checks caller and role before it reads the body."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler of a request."""
        answer = super().get_route_handler()
        roles = [one.call.role for one in self.dependant.dependencies if isinstance(one.call, InRole)]

        async def answer_who_may(request: Request) -> Response:
            if roles:
                request.state.caller = await caller_of(request, await parts_of(request), None)
            for role in roles:
                request.state.caller.must(role)
            return await answer(request)

        return answer_who_may


@dataclass(frozen=True)
class InRole:
    """Requires a role."""

    role: Role

    async def __call__(self, who: Annotated[Caller, Depends(caller_of)]) -> Caller:
        """Return the caller; raise Refusal without the role."""
        who.must(self.role)
        return who


Reader = Annotated[Caller, Depends(InRole("read"))]
Submitter = Annotated[Caller, Depends(InRole("submit"))]
Poster = Annotated[Caller, Depends(InRole("post"))]


async def review_of(review_id: ReviewId, parts: ThisServer, caller: Reader) -> KeptReview:
    """Return the caller's review; another tenant's review gets the same 404 as an unknown one."""
    review = await asyncio.to_thread(parts.reviews.find, review_id, caller.tenant)
    if review is None:
        await asyncio.to_thread(parts.adoption.adopt, caller.tenant)
        review = await asyncio.to_thread(parts.reviews.find, review_id, caller.tenant)
    if review is None:
        raise Refusal(404, f"there is no review {review_id}", "GET /api/review lists yours.")
    return review


OwnReview = Annotated[KeptReview, Depends(review_of)]


async def report_of(review: OwnReview, parts: ThisServer) -> Report:
    """Return the report of the caller's review."""
    report = await asyncio.to_thread(parts.store.reports.load, review.id) if review.verdict else None
    if report is None:
        raise no_report(review)
    return report


OwnReport = Annotated[Report, Depends(report_of)]


def no_report(review: KeptReview) -> Refusal:
    """Return the refusal for a review without a report."""
    return Refusal(
        409,
        f"the review is {review.status}, so there is no report",
        "Follow its stream until it is completed."
        if not review.is_finished
        else "POST /api/review/{id}/retry lets it go on.",
    )


def documented(*statuses: int) -> dict[int | str, dict[str, object]]:
    """Return the error answers of a route, for its documentation."""
    shown = {400, 401, 403, 408, 413, 421, 422, 429, 500, 503, *statuses}
    content = {MEDIA_TYPE: {"schema": {"$ref": REF_TEMPLATE.format(model=Problem.__name__)}}}
    return {
        status: {"description": HTTPStatus(status).phrase, "content": content} for status in sorted(shown)
    }
