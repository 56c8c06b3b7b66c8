"""Turn errors into `application/problem+json` answers that say what to do next."""

from http import HTTPStatus
from typing import Any

import structlog
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from affidavit.errors import (
    AffidavitError,
    BudgetError,
    EmptyChangeError,
    InputError,
    OutsideError,
    SettingsError,
    StoreError,
    UnreadableReportError,
)
from affidavit.forges.clones import TooLargeError

LOG = structlog.get_logger("affidavit.api")
MEDIA_TYPE = "application/problem+json"
AWAY = "the database does not answer"
STARTING = "this server is starting, and waits for its database"
FULL = "this server cannot write to its disk, which may be full"
AWAY_HEADERS = {"Retry-After": "5"}


class Fault(BaseModel):
    """One thing that is wrong with a request."""

    where: str
    what: str


class Problem(BaseModel):
    """RFC 9457: what went wrong, on what, and what to do next."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    advice: str | None = Field(default=None, description="What to do next.")
    errors: list[Fault] | None = Field(default=None, description="Each fault.")


class Refusal(HTTPException):
    """Ends a request with a problem as the answer."""

    def __init__(
        self, status: int, detail: str, advice: str | None = None, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(status, detail, headers)
        self.advice = advice


def problem(
    status: int,
    detail: str,
    advice: str | None = None,
    errors: list[Fault] | None = None,
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    """Return a problem as an answer."""
    body = Problem(
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        advice=advice,
        errors=errors,
    )
    return JSONResponse(body.model_dump(exclude_none=True), status, headers=headers, media_type=MEDIA_TYPE)


def not_done(_request: Request, error: Exception) -> JSONResponse:
    """Answer with one of our errors; the status says who must act."""
    if isinstance(error, StoreError) and not isinstance(error, UnreadableReportError):
        return _store_unusable(error)
    status, advice = _status_of(error)
    return problem(status, str(error), advice)


def _store_unusable(error: StoreError) -> JSONResponse:
    """Answer without the address of the database, which only the operator may know."""
    LOG.warning(AWAY if error.retryable else "the database cannot be used", reason=str(error))
    if error.retryable:
        return problem(503, AWAY, "Try again.", headers=AWAY_HEADERS)
    return problem(502, "the database of this service cannot be used", "Tell the operator: the log says why.")


def _status_of(error: Exception) -> tuple[int, str | None]:
    match error:
        case EmptyChangeError():
            return 422, "Name a change that changes something."
        case InputError():
            return 422, None
        case SettingsError():
            return 422, None
        case TooLargeError():
            return 413, None
        case BudgetError():
            return 402, None
        case OutsideError():
            return (503, "Try again.") if error.retryable else (502, None)
        case _:
            return 500, None


def invalid(_request: Request, error: Exception) -> JSONResponse:
    """Answer a request that does not fit its schema."""
    if not isinstance(error, RequestValidationError):
        raise error
    faults = [
        Fault(where=".".join(map(str, one["loc"])), what=str(one["msg"]).removeprefix("Value error, "))
        for one in error.errors()
    ]
    is_unreadable = any(one["type"] == "json_invalid" for one in error.errors())
    first = f"{faults[0].where}: {faults[0].what}" if faults else "it does not fit the schema"
    return problem(
        400 if is_unreadable else 422, first, "See /openapi.json for what a request may have.", faults
    )


def refused(_request: Request, error: Exception) -> JSONResponse:
    """Answer with a refusal, ours or the framework's."""
    if not isinstance(error, HTTPException):
        raise error
    advice = error.advice if isinstance(error, Refusal) else None
    return problem(error.status_code, error.detail, advice, headers=dict(error.headers or {}))


def unexpected(_request: Request, _error: Exception) -> JSONResponse:
    """Answer for a bug, without details."""
    return problem(500, "this is a fault of the service, and was logged", "Tell the operator.")


EXCEPTIONS: dict[Any, Any] = {
    AffidavitError: not_done,
    RequestValidationError: invalid,
    HTTPException: refused,
    Exception: unexpected,
}
