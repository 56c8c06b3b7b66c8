"""The service under load: throughput against its limits, answers meanwhile, memory, long lists."""

import json
import os
import re
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from affidavit.service.kept.postgresql import open_store
from affidavit.service.kept.progress import NewEvent, ReviewProgress
from affidavit.service.kept.records import WantedReview
from affidavit.service.kept.reviews import Reviews, Wanted
from affidavit.store.database import insert_all
from affidavit.store.open import Store
from affidavit.store.tables import REPORTS
from bench.measure import SUPPORT, Row, Scale, Section, best
from bench.slow_model import SlowModel, names_of_tools, tool_call
from bench.slow_model import serving as serving_model

sys.path[:0] = [str(SUPPORT)]
from postgres_server import Server  # noqa: E402 - as the tests start it
from scripted_model import CONFIRMED, FINDING, NOTHING, PLAN, REVIEW, WORDS  # noqa: E402 - as the tests have it
from service_process import DIFF, Client, Service, serving, working  # noqa: E402 - as the tests start it

CHAIN = ("plan", "read", "look", "read to verify", "verify", "words")
"""The calls of a review that must wait for each other; whether the verifier answers is tried beside them."""
CALLS = len(CHAIN) + 1
THROUGHPUT_BOUND = 1 / 0.8
SLOWEST_ANSWER_SECONDS = 1.0
PROCESSOR_SECONDS = 2.0
REVIEW_MEGABYTES = 100.0
WORKER_MEGABYTES = 500.0
PAUSE_SECONDS = 0.05
WEIGH_SECONDS = 2.0
WORKERS = 2
REPORT_BYTES = 10_000
PAGE = 20
PAGE_ROUNDS = 30
PAGE_BOUND = 2.0
EVENT = {"agent": "reviewer", "tool": "get_file_context", "file_path": "src/app.py", "timestamp": "x" * 24}
FILE = re.compile(r"(app\.(?:py|txt))")


class Reviewer(SlowModel):
    """Plays every role of a review: reads the file, finds one problem in it, and confirms it."""

    asked = 0
    turn = threading.Lock()

    def do_GET(self) -> None:  # noqa: N802 - the library calls it so
        """Say how many completions were asked for."""
        self.send("text/plain", str(Reviewer.asked).encode())

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return what the role that asks is expected to answer."""
        with Reviewer.turn:
            Reviewer.asked += 1
        names, told = names_of_tools(body), json.dumps(body["messages"])
        found = FILE.search(told)
        file = found[1] if found else "app.txt"
        if "review_plan" in names:
            return tool_call("review_plan", PLAN)
        if not names:
            return {"content": json.dumps(WORDS)}
        if not any(message["role"] == "tool" for message in body["messages"]):
            return tool_call("get_file_context", {"file_path": file, "start_line": 1, "end_line": 5})
        if "review_result" in names:
            finding = {**REVIEW, "findings": [{**FINDING, "file": file}]}
            return tool_call("review_result", finding if "# Your task: logic" in told else NOTHING)
        return tool_call("verification_judgment", CONFIRMED)


def parts() -> dict[str, Section]:
    """Return what can be measured by itself, by its name: `service-analysers-postgresql`."""
    return {
        f"service-{name}-{kind.lower()}": partial(measure, kind=kind)
        for kind in ("SQLite", "PostgreSQL")
        for name, measure in {
            "list": list_rows,
            "load": partial(load_rows, has_analysers=False),
            "analysers": partial(load_rows, has_analysers=True),
        }.items()
    }


@contextmanager
def started_database(kind: str) -> Iterator[list[str]]:
    """Start an empty database; yield the arguments that name it."""
    if kind == "SQLite":
        yield []
        return
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        try:
            yield ["--database", server.new_store()]
        finally:
            server.release()


@dataclass(frozen=True)
class Loaded:
    """A server with its workers and its model."""

    client: Client
    workers: list[Service]
    address: str
    """Of the model."""
    database: str | None

    def times_asked(self) -> int:
        """Return how many completions the model was asked for."""
        with urllib.request.urlopen(self.address) as answer:
            return int(answer.read())


@contextmanager
def started_service(scale: Scale, kind: str, workers: int) -> Iterator[Loaded]:
    with ExitStack() as stack:
        address = stack.enter_context(serving_model(Reviewer, scale.service_latency_seconds))
        where = stack.enter_context(started_database(kind))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        at_once = scale.reviews_at_once
        limits = {
            "reviews-at-once": at_once,
            "reviews-at-once-per-tenant": workers * at_once,
            "calls-at-once": workers * at_once,
        }
        told = [word for name, number in limits.items() for word in (f"--{name}", str(number))]
        arguments = ["--model", "openai:slow", "--base-url", address, *told, *where]
        client, _ = stack.enter_context(serving(folder, "--no-work", *arguments, is_started=scale.is_started))
        crew = [
            stack.enter_context(working(folder, *arguments, is_started=scale.is_started))
            for _ in range(workers)
        ]
        yield Loaded(client, crew, address, where[-1] if where else None)


def load_rows(scale: Scale, kind: str, *, has_analysers: bool) -> list[Row]:
    """Compare the throughput of two workers with the ideal, and what else many reviews cost."""
    at_once, reviews = WORKERS * scale.reviews_at_once, scale.service_reviews
    latency = scale.service_latency_seconds
    with started_service(scale, kind, WORKERS) as loaded:
        # What is loaded once, and what analysers say of the same text, is not measured.
        review_all(loaded.client, "warm", at_once, has_analysers=has_analysers)
        asked, idle, used = loaded.times_asked(), _megabytes(loaded), processor_seconds(loaded)
        with watching(loaded) as watched:
            seconds = review_all(loaded.client, "load", reviews, has_analysers=has_analysers)
        calls, used = loaded.times_asked() - asked, processor_seconds(loaded) - used
    if calls != reviews * CALLS:
        raise RuntimeError(f"{calls} calls were made for {reviews} reviews of {CALLS}")
    what = f"{reviews} reviews, {'analysers' if has_analysers else 'a scripted change'}, {kind}"
    ideal = f"{len(CHAIN)} calls of {latency:g} s each, {at_once} at once"
    ideal_seconds = reviews * len(CHAIN) * latency / at_once
    each = max(0.0, max(watched.megabytes) - idle) / at_once
    return [
        Row(what, seconds, ideal, ideal_seconds, THROUGHPUT_BOUND),
        Row("  an answer meanwhile, p99", watched.p99_seconds, "a second", SLOWEST_ANSWER_SECONDS, 1),
        Row("  processor time of a review", used / reviews, "two seconds", PROCESSOR_SECONDS, 1),
        Row("  memory of a running review", each, "a hundred megabytes", REVIEW_MEGABYTES, 1, "MB"),
        Row("  memory of an idle worker", idle / WORKERS, "half a gigabyte", WORKER_MEGABYTES, 1, "MB"),
    ]


def review_all(client: Client, name: str, count: int, *, has_analysers: bool) -> float:
    """Return the seconds from the first request until the last review is completed; none may fail."""
    began = time.perf_counter()
    reviews = [
        client.submit(diff_text=_change(name, number, has_analysers=has_analysers)) for number in range(count)
    ]
    for review in reviews:
        summary = client.finished(review, 3600)
        if summary["status"] != "completed" or summary["attempt"] != 1:
            raise RuntimeError(f"a review did not go as planned: {summary}")
        verdict = client.get(f"/api/review/{review}").json
        if verdict["stats"]["total_findings"] != 1:
            raise RuntimeError(f"a review has not the one finding: {verdict}")
    return time.perf_counter() - began


def _change(name: str, number: int, *, has_analysers: bool) -> str:
    """Return a diff that nobody else asks for; no analyser reads one of plain text."""
    text = DIFF if has_analysers else DIFF.replace("app.py", "app.txt")
    note = f"{name}-{number}.txt"
    where = f"diff --git a/{note} b/{note}\nnew file mode 100644\n--- /dev/null\n+++ b/{note}\n"
    return f"{text}{where}@@ -0,0 +1 @@\n+{note}\n"


@dataclass
class Watched:
    """What was measured while the service was loaded."""

    answers: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)
    """Of all processes of the workers."""

    @property
    def p99_seconds(self) -> float:
        """Return the time that one answer in a hundred exceeds."""
        return sorted(self.answers)[len(self.answers) * 99 // 100]


@contextmanager
def watching(loaded: Loaded) -> Iterator[Watched]:
    """Ask for the list and weigh the workers, again and again."""
    watched, is_over = Watched(), threading.Event()

    def ask() -> None:
        watched.answers.append(best(lambda: loaded.client.get(f"/api/review?limit={PAGE}"), 1))

    def weigh() -> None:
        watched.megabytes.append(_megabytes(loaded))

    def repeat(action: Any, pause_seconds: float) -> None:
        action()
        while not is_over.wait(pause_seconds):
            action()

    chores = ((ask, PAUSE_SECONDS), (weigh, WEIGH_SECONDS))
    threads = [threading.Thread(target=repeat, args=chore) for chore in chores]
    for thread in threads:
        thread.start()
    try:
        yield watched
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
        weigh()


def _megabytes(loaded: Loaded) -> float:
    """Return what the workers and all their children use; shared memory is counted once."""
    return sum(_kilobytes(process) for process in _processes(loaded)) / 1024


def _processes(loaded: Loaded) -> list[int]:
    return [process for worker in loaded.workers for process in family(worker.process.pid)]


def family(process: int) -> list[int]:
    try:
        tasks = Path(f"/proc/{process}/task").glob("*/children")
        children = [int(number) for task in tasks for number in task.read_text().split()]
    except OSError:
        return []
    return [process, *(each for child in children for each in family(child))]


def _kilobytes(process: int) -> int:
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")), 0)


def processor_seconds(loaded: Loaded) -> float:
    """Return what the workers have used, with all their children, also those that have ended."""
    return seconds_of(_processes(loaded))


def seconds_of(processes: list[int]) -> float:
    """Return the processor time that some processes have used, with their children that have ended."""
    return sum(map(_ticks, processes)) / os.sysconf("SC_CLK_TCK")


def _ticks(process: int) -> int:
    try:
        # After the name in brackets, which may have spaces: the 14th to the 17th field.
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(int(field) for field in fields[11:15])


def list_rows(scale: Scale, kind: str) -> list[Row]:
    """Compare the first page of the list of a full store with that of a new one."""
    with ExitStack() as stack:
        where = stack.enter_context(started_database(kind))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        client, _ = stack.enter_context(serving(folder, "--no-work", *where, is_started=scale.is_started))
        store = stack.enter_context(open_store(where[-1] if where else folder))

        def first_page() -> None:
            if len(client.get(f"/api/review?limit={PAGE}").json["reviews"]) != PAGE:
                raise RuntimeError("the first page is not full")

        _fill(store, range(PAGE), 1)
        new = best(first_page, PAGE_ROUNDS)
        _fill(store, range(PAGE, scale.stored_reviews), scale.stored_events)
        full = best(first_page, PAGE_ROUNDS)
    what = f"first page of {scale.stored_reviews} reviews of {scale.stored_events} events"
    return [Row(what, full, f"of {PAGE} reviews, {kind}", new, PAGE_BOUND)]


def _fill(store: Store, numbers: range, events: int) -> None:
    reviews, progress = Reviews(store.database), ReviewProgress(store.database)
    for number in numbers:
        at = f"2026-01-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.000Z"
        name = f"review-{number}"
        want(reviews, name, at)
        story = [NewEvent("tool.called", EVENT, f"{number}-{one}") for one in range(events)]
        progress.add_events(name, story, None)
        reviews.finish(name, "completed", at)
    with store.database.writing() as connection:
        insert_all(connection, REPORTS, [_report_row(f"review-{number}") for number in numbers])


def _report_row(name: str) -> dict[str, Any]:
    """Return a report of the usual length that nobody opens."""
    texts = dict.fromkeys(("created_at", "base", "head", "decision", "digest"), "x")
    return {**texts, "id": name, "body": os.urandom(REPORT_BYTES)}


def want(reviews: Reviews, name: str, at: str) -> None:
    request = WantedReview(source="diff", diff_text="diff --git a/a b/a\n" * 50)
    reviews.add(Wanted(name, "default", at, "bench", name, request), again=False)
