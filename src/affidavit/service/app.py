"""The application: the parts of a server in, an ASGI application with every route out."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.openapi.constants import REF_TEMPLATE
from fastapi.responses import FileResponse, HTMLResponse, Response
from fastapi.routing import APIRoute
from starlette.routing import Match

from affidavit import __version__
from affidavit.service.api.guard import Guard
from affidavit.service.parts import Parts
from affidavit.service.problems import EXCEPTIONS, Problem, Refusal, not_found
from affidavit.service.routes import about, code, findings, operation, reports, reviews, webhooks
from affidavit.service.streaming import Watch

METHODS = ("get", "post", "put", "delete")


def listing_page(document: dict[str, Any]) -> str:
    """The OpenAPI document as a table; the document itself has the shapes."""
    rows = "".join(
        f"<tr><td>{method.upper()}</td><td><code>{escape(path)}</code></td>"
        f"<td>{escape(operation.get('summary', ''))}</td></tr>"
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if method in METHODS
    )
    title = escape(document["info"]["title"])
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}: API</title></head><body>'
        f'<h1>{title}: the API</h1><p><a href="/openapi.json">openapi.json</a> has the shapes of requests '
        f"and answers.</p><table>{rows}</table></body></html>"
    )


START_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Affidavit</title>
<h1>Affidavit</h1><p>Code review under oath. The API is described at <a href="/docs">/docs</a>
and in <a href="/openapi.json">/openapi.json</a>.
The page is not built: <code>make page</code> does it.</p></html>
"""
ROOMS = (reviews, reports, findings, code, about, operation, webhooks)
API_PATHS = ("api/", "docs", "openapi.json", "metrics", "redoc")


def api_document() -> dict[str, Any]:
    """The OpenAPI document; it needs no database and starts nothing."""
    return _application(__version__, None).openapi()


def make_app(parts: Parts, watch: Watch) -> FastAPI:
    """The application; until its parts are open, it answers whoever asks whether it lives."""

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
    app.add_middleware(Guard, settings=parts.settings, is_open=lambda: parts.is_open)
    return app


class Application(FastAPI):
    """Describes the problems that routes answer: no route returns one, so the framework leaves them out."""

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
        exception_handlers={**EXCEPTIONS, 405: _not_this_way},
        docs_url=None,
        redoc_url=None,
    )
    for room in ROOMS:
        app.include_router(room.ROUTES)
    _serve_page(app)
    return app


async def _not_this_way(request: Request, error: Exception) -> Response:
    """The framework names the methods of one route; a path may have several, in several rooms."""
    answer = not_found(request, error)
    routes = (one for room in ROOMS for one in room.ROUTES.routes if isinstance(one, APIRoute))
    here = [one.methods or set() for one in routes if one.matches(request.scope)[0] is not Match.NONE]
    if here:
        answer.headers["Allow"] = ", ".join(sorted(set[str]().union(*here)))
    return answer


def _serve_page(app: FastAPI) -> None:
    folder = Path(str(files("affidavit"))) / "web"

    @app.get("/docs", include_in_schema=False)
    async def listing() -> Response:
        return HTMLResponse(listing_page(app.openapi()))

    @app.get("/{path:path}", include_in_schema=False)
    async def page(path: str) -> Response:
        if path.startswith(API_PATHS):
            raise Refusal(404, f"there is nothing at /{path}", "/openapi.json lists what there is.")
        file = (folder / path).resolve()
        if path and file.is_relative_to(folder.resolve()) and file.is_file():
            # Built files have their content in their names.
            is_fixed = path.startswith("assets/")
            age = "public, max-age=31536000, immutable" if is_fixed else "no-cache"
            return FileResponse(file, headers={"Cache-Control": age})
        index = folder / "index.html"
        if index.is_file():
            return FileResponse(index, headers={"Cache-Control": "no-cache"})
        if path:
            raise Refusal(404, f"there is nothing at /{path}", "/openapi.json lists what there is.")
        return HTMLResponse(START_PAGE)
