"""Many reviews at once for two workers: how long they take against the ideal, and what else that costs."""

import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.row import Row
from bench.service.model import times_asked
from bench.service.sizes import CALLS, CHAIN, Sizes
from bench.slow_model import serving as model_serving

sys.path[:0] = [str(Path(__file__).parents[2] / "tests" / "support")]
from postgres_server import Server  # noqa: E402 - as the tests start it
from service_process import DIFF, Client, Service, serving, working  # noqa: E402 - as the tests start it

THROUGHPUT_BOUND = 1 / 0.8
SLOWEST_ANSWER_SECONDS = 1.0
PROCESSOR_SECONDS = 2.0
REVIEW_MEGABYTES = 100.0
WORKER_MEGABYTES = 500.0
PAUSE_SECONDS = 0.05


@dataclass
class Watched:
    """What was seen while the service was loaded."""

    answers: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)
    """Of all processes of both workers."""

    @property
    def p99_seconds(self) -> float:
        """Of a hundred answers, one was slower than this."""
        return statistics.quantiles(self.answers, n=100)[98]


@contextmanager
def database(kind: str) -> Iterator[str | None]:
    """The address of an empty database; None for a file."""
    if kind == "SQLite":
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        try:
            yield server.new_store()
        finally:
            server.release()


def load_rows(size: Sizes, kind: str, *, analysers: bool) -> list[Row]:
    """Throughput, answers and memory, on one database."""
    with ExitStack() as stack:
        address = stack.enter_context(model_serving("bench.service.model", size.latency_seconds))
        url = stack.enter_context(database(kind))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        arguments = limits_of(size, address, url)
        client, _ = stack.enter_context(serving(folder, "--no-work", *arguments, is_started=True))
        crew = [stack.enter_context(working(folder, *arguments, is_started=True)) for _ in range(2)]
        # What is loaded once, and what analysers say of the same text, is not what is measured.
        _do(client, [change_text("warm", number, analysers=analysers) for number in range(2 * size.at_once)])
        asked, idle, used = times_asked(address), _megabytes(crew), _processor_seconds(crew)
        with watching(client, crew) as watched:
            changes = [change_text("load", number, analysers=analysers) for number in range(size.reviews)]
            seconds = _do(client, changes)
        calls, used = times_asked(address) - asked, _processor_seconds(crew) - used
        if calls != size.reviews * CALLS:
            raise SystemExit(f"{calls} calls were made for {size.reviews} reviews of {CALLS}")
    what = "analysers" if analysers else "a scripted change"
    ideal = f"{len(CHAIN)} calls of {size.latency_seconds:g} s each, {2 * size.at_once} at once"
    each = max(0.0, max(watched.megabytes) - idle) / (2 * size.at_once)
    return [
        Row(f"{size.reviews} reviews, {what}, {kind}", seconds, ideal, size.ideal_seconds, THROUGHPUT_BOUND),
        Row("  an answer meanwhile, p99", watched.p99_seconds, "a second", SLOWEST_ANSWER_SECONDS, 1),
        Row("  processor time of a review", used / size.reviews, "two seconds", PROCESSOR_SECONDS, 1),
        Row("  memory of a running review", each, "a hundred megabytes", REVIEW_MEGABYTES, 1, "MB"),
        Row("  memory of a worker without any", idle / 2, "half a gigabyte", WORKER_MEGABYTES, 1, "MB"),
    ]


def limits_of(size: Sizes, address: str, url: str | None) -> list[str]:
    """The arguments of a server and of its workers."""
    limits = {
        "reviews-at-once": size.at_once,
        "reviews-at-once-per-tenant": 2 * size.at_once,
        "calls-at-once": 2 * size.at_once,
        "requests-per-minute": 1_000_000,
    }
    told = [word for name, number in limits.items() for word in (f"--{name}", str(number))]
    where = ["--database", url] if url else []
    return ["--model", "openai:slow", "--base-url", address, *told, *where]


def change_text(name: str, number: int, *, analysers: bool) -> str:
    """A change that nobody else asks for; one of plain text has no analyser."""
    text = DIFF if analysers else DIFF.replace("app.py", "app.txt")
    note = f"{name}-{number}.txt"
    where = f"diff --git a/{note} b/{note}\nnew file mode 100644\n--- /dev/null\n+++ b/{note}\n"
    return f"{text}{where}@@ -0,0 +1 @@\n+{note}\n"


def _do(client: Client, changes: list[str]) -> float:
    """Seconds from the first request until the last review is completed; none is lost."""
    began = time.perf_counter()
    names = [client.submit(diff_text=change) for change in changes]
    for name in names:
        summary = client.finished(name, 3600)
        if summary["status"] != "completed" or summary["attempt"] != 1:
            raise SystemExit(f"a review did not go as planned: {summary}")
        verdict = client.get(f"/api/review/{name}").json
        if verdict["stats"]["total_findings"] != 1:
            raise SystemExit(f"a review found something else: {verdict}")
    return time.perf_counter() - began


@contextmanager
def watching(client: Client, crew: list[Service]) -> Iterator[Watched]:
    """Ask for the list and look at the memory, again and again."""
    watched, is_over = Watched(), threading.Event()

    def ask() -> None:
        while not is_over.wait(PAUSE_SECONDS):
            began = time.perf_counter()
            client.get("/api/review?limit=20")
            watched.answers.append(time.perf_counter() - began)

    def weigh() -> None:
        while not is_over.wait(2.0):
            watched.megabytes.append(_megabytes(crew))

    threads = [threading.Thread(target=each) for each in (ask, weigh)]
    for thread in threads:
        thread.start()
    try:
        yield watched
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
        watched.megabytes.append(_megabytes(crew))


def _megabytes(crew: list[Service]) -> float:
    """What the workers and all that they have started use; what several share is counted once."""
    return sum(_weight(process) for one in crew for process in _family(one.process.pid)) / 1024


def _family(process: int) -> list[int]:
    try:
        tasks = Path(f"/proc/{process}/task").glob("*/children")
        children = [int(number) for task in tasks for number in task.read_text().split()]
    except OSError:
        return []
    return [process, *(each for child in children for each in _family(child))]


def _weight(process: int) -> int:
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")), 0)


def _processor_seconds(crew: list[Service]) -> float:
    """What the workers have used, with all that they have started and that has ended."""
    ticks = sum(_ticks(process) for one in crew for process in _family(one.process.pid))
    return ticks / os.sysconf("SC_CLK_TCK")


def _ticks(process: int) -> int:
    try:
        # After the name in brackets, which may have spaces: the 14th to the 17th field.
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(int(field) for field in fields[11:15])
