"""A server and two workers on one database, whose workers can be killed while they work."""

import json
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any

from affidavit.service.kept.postgresql import open_store
from affidavit.service.kept.progress import ReviewProgress
from affidavit.service.kept.records import KeptReview
from affidavit.service.kept.reviews import Reviews
from affidavit.store.open import Store
from cuttable import Cable, cable_to
from model_server import serving as model_serving
from pausing_model import PausingModel
from service_process import ONLY_RUFF, Client, Event, Service, other_diff, serving

PATIENT = ("--dead-after-seconds", "60", "--drain-seconds", "60", "--requests-per-minute", "100000")
"""Who is killed on the same machine is known to be dead at once; who is only held up, by others, is not."""
SETTLE_SECONDS = 0.5
"""Until the model has noted what the dead has asked it last."""
PROBE = "1 + 1"
"""What a model is asked to see whether it is there; the model here does not count it."""
WAIT_SECONDS = 120.0
LATENCY_SECONDS = 0.2


@dataclass
class Crew:
    client: Client
    model: PausingModel
    folder: Path
    store: Store
    arguments: list[str]
    cable: Cable | None
    workers: dict[int, Service] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    """Of changes, by their review."""
    lost: dict[str, int] = field(default_factory=dict)
    """By review: so many calls had been made, and their replies not written down, when its worker died."""

    def hire(self) -> None:
        """Another worker; it begins in its own time."""
        log = self.folder / f"worker-{time.monotonic_ns()}.log"
        how = {"environment": ONLY_RUFF, "log": log}
        worker = Service("worker", "--data", str(self.folder), *self.arguments, **how)
        self.workers[worker.process.pid] = worker

    def wait_until_all_work(self) -> None:
        """Those who were hired have begun."""
        until = time.monotonic() + WAIT_SECONDS
        while not all("Affidavit works as" in worker.log.read_text() for worker in self.workers.values()):
            assert time.monotonic() < until, self.logs()
            time.sleep(0.05)

    def kill(self, process: int) -> None:
        """As a machine that loses its power; another worker takes its place."""
        worker = self.workers.pop(process)
        # Before and after: another may have taken it over by the time that its calls are counted.
        owned = self._owned_by(process)
        os.kill(process, signal.SIGKILL)
        worker.process.wait()
        owned |= self._owned_by(process)
        worker.close()
        self.hire()
        # What was on its way to the model has come there; what others ask for meanwhile is counted, too.
        time.sleep(SETTLE_SECONDS)
        for review_id in owned:
            self.note_lost(review_id)

    def _owned_by(self, process: int) -> set[str]:
        return {review_id for review_id in self.names if self._process_of(review_id) == process}

    def note_lost(self, review_id: str) -> None:
        """Whoever goes on with a review may make these calls again."""
        self.lost[review_id] = self.calls(review_id) - self.kept(review_id)

    def calls(self, review_id: str) -> int:
        """How many calls of a review the model has seen."""
        return self.model.of(self.names[review_id])

    def kept(self, review_id: str) -> int:
        """How many exchanges about its change were written down."""
        exchanges = ReviewProgress(self.store.database).exchanges(review_id)
        return sum(PROBE not in json.dumps(each) for each in exchanges)

    def submit(self, name: str) -> str:
        # A test that is tried once more counts its own calls only.
        name = f"{name}-{token_hex(4)}"
        review_id = self.client.submit(diff_text=other_diff("note.txt"), title=f"Change {name}", again=True)
        self.names[review_id] = name
        return review_id

    def review(self, review_id: str) -> KeptReview:
        found = Reviews(self.store.database).find(review_id, None)
        assert found is not None
        return found

    def owner(self, review_id: str) -> int | None:
        """The living process that works on a review; None where none does."""
        process = self._process_of(review_id)
        return process if process in self.workers else None

    def _process_of(self, review_id: str) -> int:
        owner = self.review(review_id).owner
        return int(owner.split("-")[-2]) if owner else 0

    def wait_for_owner(self, review_id: str, events: int = 0) -> int | None:
        """The process that works on a review, once it has so many events; None where it is over."""
        until = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until:
            owner, review = self.owner(review_id), self.review(review_id)
            if owner is not None and review.events >= events:
                return owner
            if review.is_finished:
                return None
            time.sleep(0.02)
        raise AssertionError(f"nobody takes over: {self.logs()}")

    def finished(self, review_id: str) -> Any:
        """Its summary, when it is over; what the workers say where that takes too long."""
        try:
            return self.client.finished(review_id)
        except AssertionError as error:
            owner = self.review(review_id).owner
            raise AssertionError(f"{error}, in the hands of {owner}: {self.logs()}") from error

    def logs(self) -> str:
        return "\n".join(worker.log.read_text()[-3000:] for worker in self.workers.values())


def what_happened(events: list[Event]) -> Counter[tuple[str, str]]:
    """Events without what differs from one time to the next."""
    return Counter(
        (
            event.name,
            str(
                {
                    key: value
                    for key, value in event.data.items()
                    if not key.endswith(("timestamp", "_ms", "tokens", "usd")) and key != "review_id"
                }
            ),
        )
        for event in events
    )


@contextmanager
def crew_on(
    folder: Path, database: str | None, workers: int = 2, options: Sequence[str] = ()
) -> Iterator[Crew]:
    """A server that does no reviews, and workers that do."""
    model = PausingModel(LATENCY_SECONDS)
    with ExitStack() as stack:
        address, _ = stack.enter_context(model_serving(model))
        arguments = ["--model", "openai:scripted", "--base-url", address, *PATIENT, *options]
        cable = None
        if database:
            cable, near = stack.enter_context(cable_to(database))
            arguments += ["--database", near]
        client, _ = stack.enter_context(serving(folder, "--no-work", *arguments, environment=ONLY_RUFF))
        store = stack.enter_context(open_store(database or folder))
        crew = Crew(client, model, folder, store, arguments, cable)
        stack.callback(_dismiss, crew)
        for _ in range(workers):
            crew.hire()
        yield crew


def _dismiss(crew: Crew) -> None:
    for worker in crew.workers.values():
        if worker.process.poll() is None:
            worker.process.send_signal(signal.SIGTERM)
    for worker in crew.workers.values():
        try:
            worker.process.wait(20)
        except subprocess.TimeoutExpired:
            worker.kill()
        worker.close()
