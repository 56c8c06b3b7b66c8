"""What every request passes takes no thread: only the database does."""

import inspect
from collections.abc import Iterator

import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from affidavit.service.api.door import RightsFirst
from affidavit.service.routes import about, code, findings, operation, reports, reviews, webhooks

ROUTES = [
    route
    for room in (about, code, findings, operation, reports, reviews, webhooks)
    for route in room.ROUTES.routes
    if isinstance(route, APIRoute)
]


def needed(dependant: Dependant) -> Iterator[Dependant]:
    """A route and all that it needs."""
    yield dependant
    for one in dependant.dependencies:
        yield from needed(one)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{min(route.methods)} {route.path}")
def test_no_request_waits_for_a_thread_before_it_asks_the_database(route: APIRoute) -> None:
    for one in needed(route.dependant):
        call = one.call if inspect.isroutine(one.call) else type(one.call).__call__
        assert inspect.iscoroutinefunction(call), one.call


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{min(route.methods)} {route.path}")
def test_no_body_is_read_before_the_rights_of_its_caller_are_known(route: APIRoute) -> None:
    assert route.body_field is None or isinstance(route, RightsFirst)
