"""The page with a large report, next to the bare diff viewer with the same diff: start, scrolling, size."""

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

from affidavit.records.candidate import Candidate, Judgement, Status
from affidavit.records.change import Change, FileChange, FileStatus, Hunk, Revision
from affidavit.records.evidence import QuoteCheck
from affidavit.records.finding import Category, Finding, Severity, Verification
from affidavit.records.report import Counts, FileCoverage, Gate, HunkCoverage, Report, Verdict
from affidavit.render.view import view_of
from bench.measure import ROOT, SUPPORT, Row, Scale

sys.path[:0] = [str(ROOT / "tools"), str(SUPPORT)]
import page as page_tool  # noqa: E402 - of the tools, beside the package
from browser import FLAGS, chromium  # noqa: E402 - as the tests start it

HUNKS, LINES = 10, 100
"""Hunks of a file, and lines of a hunk."""
ME = {"tenant": "", "name": "", "roles": ["admin"], "needs_token": False, "version": "", "models": {},
      "formats": [], "repositories": []}  # fmt: skip
SUMMARY = {"review_id": "large", "status": "completed", "title": "Large", "attempt": 1, "created_at": ""}
READY = """(selector) => new Promise((done, fail) => {
  const look = () => {
    const isThere = document.querySelector(selector);
    if (isThere) requestIdleCallback(() => done(performance.now()), { timeout: 60000 });
    else if (performance.now() > 60000) fail(new Error(`no ${selector}: ${document.body.innerText}`));
    else requestAnimationFrame(look);
  };
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


def page(scale: Scale) -> Iterator[Row]:
    """Compare the seconds until the page can be used and its slow frames with the bare viewer's."""
    folder = scale.folder / "page"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(page_tool.build(), folder)
    size = page_tool.check_size()
    yield Row("the page, first load, gzipped", size["first"], "its limit", page_tool.FIRST_LOAD_KB, 1, "kB")
    yield Row("the page, everything, gzipped", size["total"], "its limit", page_tool.TOTAL_KB, 1, "kB")
    report = large_report(scale.page_files, scale.page_findings)
    for name, record in (("report", report), ("view", view_of(report))):
        (folder / f"{name}.json").write_text(record.model_dump_json())
    (folder / "diff.txt").write_text("".join(_diff_lines(report)))
    page_tool.build_bare(folder / "bare")
    program = chromium()
    if program is None:
        print("page: not opened, there is no Chromium here; tools/install-test-needs installs it")
        return
    with _serving(folder) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        measured = [
            [_measure(browser.new_page(), f"{address}/{path}", selector) for _ in range(scale.rounds)]
            for path, selector in (("review/large", ".card"), ("bare/bench/", "section:last-child tr"))
        ]
        browser.close()
    (ready, frame), (bare_ready, bare_frame) = (map(min, zip(*runs, strict=True)) for runs in measured)
    what = f"page of {scale.page_findings} findings: usable"
    yield Row(what, ready, "the bare diff viewer, no findings", bare_ready, 0.8)
    yield Row("the same: slow frame (95%) scrolling", frame, "the bare diff viewer", bare_frame, 2)


def _measure(tab: Page, address: str, selector: str) -> tuple[float, float]:
    """Return the seconds until the page is idle with its content, and those of a slow frame."""
    tab.set_viewport_size({"width": 1280, "height": 900})
    tab.goto(address, wait_until="commit")
    ready: float = tab.evaluate(READY, selector)
    frame: float = tab.evaluate(SCROLL)
    tab.close()
    return ready / 1000, frame / 1000


class Served(SimpleHTTPRequestHandler):
    """The built files and the few answers of the API that the page asks for."""

    def do_GET(self) -> None:
        """Answer from memory, from the report, or from the files."""
        answers: dict[str, Any] = {
            "/api/me": ME,
            "/api/review/large/summary": SUMMARY,
            "/api/review/large/labels": {"labels": []},
        }
        if self.path in answers:
            self._answer(json.dumps(answers[self.path]).encode())
        elif self.path in ("/api/review/large/report", "/api/review/large/report/view"):
            self._answer(Path(self.directory, f"{Path(self.path).name}.json").read_bytes())
        else:
            self.path = "/index.html" if self.path.startswith("/review/") else self.path
            super().do_GET()

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_parts: object) -> None:
        """Log nothing."""


@contextmanager
def _serving(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Served, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def large_report(file_count: int, findings: int) -> Report:
    """Return a report whose findings are spread evenly over its diff."""
    files = tuple(_file(number) for number in range(file_count))
    candidates = tuple(_candidate(number, files) for number in range(findings))
    severities = [one.finding.severity for one in candidates if one.finding]
    counts = Counts(
        candidates=findings,
        shown=findings,
        folded=0,
        withheld=0,
        blocking=0,
        by_severity={severity: severities.count(severity) for severity in Severity},
        withheld_by_code={},
    )
    revisions = {"base": Revision(tree="0" * 40), "head": Revision(tree="1" * 40)}
    change = Change(source="range", target="HEAD~1..HEAD", title="Rewrite modules", files=files, **revisions)
    return Report(
        affidavit_version="bench",
        id="large",
        created_at="2026-01-01T00:00:00Z",
        duration_ms=60_000,
        schema_version="1.2",
        prompt_version="1.0.0",
        change=change,
        settings={},
        candidates=candidates,
        replies=(),
        verdict=Verdict(decision="comment", summary="Many findings.", confidence=0.9, counts=counts),
        gate=Gate(fail_on=Severity.CRITICAL, exit_code=0),
        coverage=tuple(_covered(file) for file in files),
    )


def _diff_lines(report: Report) -> Iterator[str]:
    for file in report.change.files:
        yield f"diff --git a/{file.path} b/{file.path}\nindex 1111111..2222222 100644\n"
        yield f"--- a/{file.path}\n+++ b/{file.path}\n"
        for hunk in file.hunks:
            yield f"@@ -{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count} @@\n"
            yield from (f"{line}\n" for line in hunk.lines)


def _file(number: int) -> FileChange:
    hunks = tuple(_hunk(index) for index in range(HUNKS))
    path = f"shop/part_{number:02}.py"
    return FileChange(path=path, status=FileStatus.MODIFIED, language="python", hunks=hunks)


def _hunk(index: int) -> Hunk:
    start = index * 200 + 1
    text = 'price_of(items[{row}], "EUR", rate={index}.5) or Decimal(0)  # item {row}'
    lines = tuple(
        f"{' -+'[row % 3]}    total_{row} = {text.format(row=row, index=index)}" for row in range(LINES)
    )
    old, new = (sum(line[0] != mark for line in lines) for mark in "+-")
    return Hunk(old_start=start, old_count=old, new_start=start, new_count=new, lines=lines)


def _candidate(number: int, files: tuple[FileChange, ...]) -> Candidate:
    file = files[number % len(files)]
    hunk = file.hunks[number // len(files) % HUNKS]
    line = hunk.new_start + 7 + number // (len(files) * HUNKS) * 20
    quote = next(text for _, _, new, text in hunk.numbered() if new == line)
    finding = Finding(
        id=f"f{number}",
        severity=list(Severity)[number % 4],
        category=Category.CORRECTNESS,
        title=f"The price of item {number} is rounded before it is added",
        file=file.path,
        line=line,
        message="Each price is rounded to a cent and then added: the sum is off by up to a cent an item.",
        suggestion="Add first, round once.",
        verification=Verification(
            code_examined=quote,
            line_range_examined=(line, line),
            verification_method="followed the sum",
            checked_for_handling_elsewhere=False,
            failing_input="three items of 0.335",
            wrong_outcome="1.02 instead of 1.01",
        ),
    )
    return Candidate(
        id=f"logic-{number}",
        specialist="logic",
        kind="model",
        index=number,
        finding=finding,
        fingerprint=f"{number:016x}",
        quote=QuoteCheck(outcome="exact", file=file.path, side="head", start=line, end=line, code=quote),
        judgements=(Judgement(by="verifier", answer="CONFIRMED", reason="It is so.", model="m"),),
        status=Status.VERIFIED,
        confidence="high",
    )


def _covered(file: FileChange) -> FileCoverage:
    places = ("new_start", "new_count", "old_start", "old_count")
    hunks = tuple(
        HunkCoverage(**{name: getattr(hunk, name) for name in places}, examined_by=("logic",))
        for hunk in file.hunks
    )
    return FileCoverage(path=file.path, state="examined", hunks=hunks)
