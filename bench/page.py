"""The page on a large report, next to the bare diff viewer on the same diff: start, scrolling, size."""

import json
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from bench import page_report
from bench.row import Row

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "support")]
import page as page_tool  # noqa: E402 - of the tools, beside the package
from browser import FLAGS, chromium  # noqa: E402 - as the tests start it

FOLDER = ROOT / ".bench" / "page"
ROUNDS = 2
ME = {"tenant": "", "name": "", "roles": ["admin"], "needs_token": False, "version": "", "models": {},
      "formats": [], "repositories": [], "can_ask": False, "can_run": False}  # fmt: skip
SUMMARY = {"review_id": "large", "status": "completed", "title": "Large", "attempt": 1, "created_at": ""}
READY = """(selector) => new Promise((done) => {
  const look = () => document.querySelector(selector)
    ? requestIdleCallback(() => done(performance.now()), { timeout: 60000 }) : requestAnimationFrame(look);
  look();
})"""
SCROLL = """() => new Promise((done) => {
  const times = []; let last = performance.now(); let frames = 0;
  const step = (now) => {
    times.push(now - last); last = now; window.scrollBy(0, 600);
    if (++frames < 60) requestAnimationFrame(step);
    else { times.shift(); times.sort((a, b) => a - b); done(times[Math.floor(times.length * 0.95)]); }
  };
  requestAnimationFrame(step);
})"""


def rows() -> list[Row]:
    """Seconds until the page can be used, the slow frames of scrolling, and its size."""
    program = chromium()
    if program is None:
        raise SystemExit("bench page: no Chromium; tools/install-test-needs installs it")
    built = page_tool.build()
    prepare(built)
    with serving() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        ours = [measured(browser.new_page(), f"{address}/review/large", ".card") for _ in range(ROUNDS)]
        bare = [
            measured(browser.new_page(), f"{address}/bare/bench/", "section:last-child tr")
            for _ in range(ROUNDS)
        ]
        browser.close()
    size = page_tool.check_size()
    return [
        Row(
            "page of 300 findings: usable",
            min(ours)[0],
            "the bare diff viewer, no findings",
            min(bare)[0],
            0.8,
        ),
        Row("the same: slow frame (95%) scrolling", best(ours), "the bare diff viewer", best(bare), 2),
        Row("the page, first load, gzipped", size["first"], "its limit", page_tool.FIRST_LOAD_KB, 1, "kB"),
        Row("the page, everything, gzipped", size["total"], "its limit", page_tool.TOTAL_KB, 1, "kB"),
    ]


def best(runs: list[tuple[float, float]]) -> float:
    """The slow frame of the best run, in seconds."""
    return min(frame for _, frame in runs)


def measured(page: Page, address: str, selector: str) -> tuple[float, float]:
    """Seconds from the click until the page is idle with its content, and the slow frame while scrolling."""
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(address, wait_until="commit")
    ready: float = page.evaluate(READY, selector)
    frame: float = page.evaluate(SCROLL)
    page.close()
    return ready / 1000, frame / 1000


def prepare(built: Path) -> None:
    """The files that both are served from."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    shutil.copytree(built, FOLDER)
    large = page_report.report()
    (FOLDER / "report.json").write_text(large.model_dump_json())
    (FOLDER / "diff.txt").write_text(page_report.diff_text(large))
    page_tool.build_bare(FOLDER / "bare")


class Served(SimpleHTTPRequestHandler):
    """The built files and the few answers of the API that the page asks for."""

    def do_GET(self) -> None:
        answers: dict[str, Any] = {
            "/api/me": ME,
            "/api/review/large/summary": SUMMARY,
            "/api/review/large/labels": {"labels": []},
        }
        if self.path in answers:
            self.answer(json.dumps(answers[self.path]).encode())
        elif self.path == "/api/review/large/report":
            self.answer((FOLDER / "report.json").read_bytes())
        else:
            self.path = "/index.html" if self.path.startswith("/review/") else self.path
            super().do_GET()

    def answer(self, body: bytes) -> None:
        """JSON."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_parts: object) -> None:
        """Say nothing."""


@contextmanager
def serving() -> Iterator[str]:
    """The address of a server over the folder."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Served, directory=str(FOLDER)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()
