"""Build the ASGI application with every route."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.constants import REF_TEMPLATE
from fastapi.responses import FileResponse, Response

from affidavit import __version__
from affidavit.service.api.access import Admission, Pace
from affidavit.service.api.guard import Guard
from affidavit.service.parts import Parts
from affidavit.service.problems import EXCEPTIONS, Problem, Refusal
from affidavit.service.routes import about, code, findings, operation, reports, reviews, webhooks
from affidavit.service.streaming import Watch

ROOMS = (reviews, reports, findings, code, about, operation, webhooks)
API_PATHS = ("api/", "openapi.json", "metrics")


def api_document() -> dict[str, Any]:
    """Return the OpenAPI document; this needs no database."""
    return _application(__version__, None).openapi()


def make_app(parts: Parts, watch: Watch) -> FastAPI:
    """Return the application; until its parts are open, it answers health checks alone."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.parts = parts
        app.state.watch = watch
        looking = asyncio.create_task(watch.keep_looking())
        try:
            yield
        finally:
            looking.cancel()
            with suppress(asyncio.CancelledError):
                await looking

    app = _application(parts.settings.version, lifespan)
    app.state.admission = Admission(parts.access)
    app.state.pace = Pace(parts.settings.limits.requests_per_minute)
    app.add_middleware(Guard, settings=parts.settings, pace=app.state.pace, is_open=lambda: parts.is_open)
    return app


class Application(FastAPI):
    """Adds the schema of problems to the OpenAPI document, since no route returns one."""

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI document."""
        document = super().openapi()
        problems = Problem.model_json_schema(ref_template=REF_TEMPLATE)
        document["components"]["schemas"] |= {**problems.pop("$defs", {}), Problem.__name__: problems}
        return document


def _application(version: str, lifespan: Any) -> FastAPI:
    app = Application(
        title="Affidavit",
        version=version,
        summary="Code review under oath: says only what it can prove.",
        lifespan=lifespan,
        exception_handlers=EXCEPTIONS,
        docs_url=None,
        redoc_url=None,
    )
    for room in ROOMS:
        app.include_router(room.ROUTES)
    _serve_page(app)
    return app


def _serve_page(app: FastAPI) -> None:
    folder = Path(str(files("affidavit"))) / "web"

    @app.get("/{path:path}", include_in_schema=False)
    async def page(path: str) -> Response:
        if path.startswith(API_PATHS):
            raise Refusal(404, f"there is nothing at /{path}", "/openapi.json lists what there is.")
        file = (folder / path).resolve()
        if path and file.is_relative_to(folder.resolve()) and file.is_file():
            # Names of built files contain a hash of their content.
            is_fixed = path.startswith("assets/")
            age = "public, max-age=31536000, immutable" if is_fixed else "no-cache"
            return FileResponse(file, headers={"Cache-Control": age})
        index = folder / "index.html"
        if index.is_file():
            return FileResponse(index, headers={"Cache-Control": "no-cache"})
        raise Refusal(404, f"there is nothing at /{path}", "The page is not built: `make page` builds it.")
