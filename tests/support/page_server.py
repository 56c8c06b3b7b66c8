"""The built page on loopback with canned answers of the API: for what the page makes of a report."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from affidavit.records.report import Report
from affidavit.render.view import view_of

POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
)
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
ME: dict[str, Any] = {
    "tenant": "default",
    "name": "local",
    "roles": ["read", "submit", "post", "admin"],
    "needs_token": False,
    "version": "1",
    "models": {},
    "formats": ["report", "markdown"],
    "repositories": [],
}


def summary(review_id: str = "r1", **fields: Any) -> dict[str, Any]:
    """A finished review in a list."""
    return {
        "review_id": review_id,
        "status": "completed",
        "created_at": "2026-01-01T00:00:00Z",
        "started_at": "2026-01-01T00:00:00Z",
        "finished_at": "2026-01-01T00:00:10Z",
        "source": "diff",
        "repository": None,
        "base": None,
        "head": None,
        "title": "A change",
        "submitted_by": "local",
        "url": None,
        "stage": None,
        "verdict": "comment",
        "summary": "",
        "duration_ms": 10_000,
        "findings": None,
        "reason": None,
        "models": {},
        "prompt_version": "1",
        "cost_usd": None,
        "tokens": 0,
        "is_incomplete": False,
        "attempt": 1,
        **fields,
    }


@dataclass
class Api:
    """What the API answers, by path; what it was asked."""

    answers: dict[str, Any] = field(default_factory=dict)
    asked: list[tuple[str, str, Any]] = field(default_factory=list)
    """Method, path and body of whatever is not a plain reading."""
    token: str = ""
    """Where one is wanted, whoever has not got it is refused."""

    def show(self, report: Report, **fields: Any) -> None:
        """Let there be one review with this report."""
        self.token = ""
        row = summary(title=report.change.title, **fields)
        address = "/api/review/r1"
        self.answers |= {
            "/api/me": ME,
            "/api/review": {"reviews": [row], "next_cursor": None},
            f"{address}/summary": row,
            f"{address}/report": report.model_dump(),
            f"{address}/report/view": view_of(report).model_dump(),
            f"{address}/labels": {"labels": []},
            f"{address}/file": {
                "path": "",
                "side": "head",
                "commit": None,
                "start": 1,
                "end": 1,
                "total_lines": 1,
                "lines": [report.change.title],
            },
        }


class Visit(BaseHTTPRequestHandler):
    """One request to the page or its API."""

    server: "PageServer"

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path.startswith("/api/"):
            self._answer(path)
            return
        file = self.server.folder / path.lstrip("/")
        self._send(file if file.is_file() else self.server.folder / "index.html")

    def do_PUT(self) -> None:
        self._take("PUT")

    def do_POST(self) -> None:
        self._take("POST")

    def do_DELETE(self) -> None:
        self._take("DELETE")

    def _take(self, method: str) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        self.server.api.asked.append((method, self.path, body))
        self._answer(urlsplit(self.path).path, default={})

    def _answer(self, path: str, default: Any = None) -> None:
        api = self.server.api
        if api.token and self.headers.get("Authorization") != f"Bearer {api.token}":
            refusal = {"title": "Unauthorized", "status": 401, "detail": "the token is not known"}
            self._write(401, "application/problem+json", json.dumps(refusal).encode())
            return
        answer = api.answers.get(path, default)
        missing = {"title": "Not found", "status": 404, "detail": f"there is nothing at {path}"}
        body = json.dumps(missing if answer is None else answer, default=str).encode()
        self._write(404 if answer is None else 200, "application/json", body)

    def _send(self, file: Path) -> None:
        self._write(200, TYPES.get(file.suffix, "text/plain"), file.read_bytes())

    def _write(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_parts: object) -> None:
        """Say nothing."""


class PageServer(ThreadingHTTPServer):
    """The server; `api` may be changed while it runs."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, folder: Path, api: Api) -> None:
        super().__init__(("127.0.0.1", 0), Visit)
        self.folder = folder
        self.api = api

    def handle_error(self, *_: Any) -> None:
        """A browser that leaves a page hangs up."""


@contextmanager
def page_served(folder: Path) -> Iterator[tuple[str, Api]]:
    """The address of the page, and its API."""
    api = Api()
    server = PageServer(folder, api)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", api
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
