"""Count one's own beat up, and hand on what those were doing who have stopped counting theirs."""

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

from affidavit.events import now_iso
from affidavit.service.kept.access import KeptWorker, Workers
from affidavit.service.work.engine import Work
from affidavit.store.open import Store

Clock = Callable[[], float]


def this_place() -> str:
    """The machine as far as process numbers mean the same on it: its start, and the space of its numbers."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        space = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        boot, space = "", ""
    return f"{socket.gethostname()} {boot} {space}"


class Heartbeat:
    """One worker's beat, and its eye on the others."""

    def __init__(
        self,
        store: Store,
        work: Work,
        worker_id: str,
        dead_after_seconds: float,
        clock: Clock = time.monotonic,
    ) -> None:
        self._workers = Workers(store.database)
        self._database = store.database
        self._work, self._worker_id = work, worker_id
        self._dead_after, self._clock = dead_after_seconds, clock
        self._place = this_place()
        self._seen: dict[str, tuple[int, float]] = {}
        self._beaten = clock()

    def begin(self) -> None:
        """The others know of this worker from now on."""
        worker = KeptWorker(self._worker_id, self._place, os.getpid(), 0)
        self._workers.add(worker, now_iso())

    def beat(self) -> list[str]:
        """This worker lives. Returns the reviews that were handed on from those who do not."""
        if not self._workers.beat(self._worker_id):
            # Given up by the others while it was held up; it lives, and may take new work.
            self.begin()
        now = self._clock()
        if now - self._beaten > self._dead_after / 2:
            # Perhaps the database was away, and nobody could beat: all have as long as ever from now on.
            self._seen.clear()
        self._beaten = now
        return [review for dead in self._dead() for review in self._hand_on(dead)]

    def adopt(self) -> list[str]:
        """Hand on what is in the hands of somebody whom nobody knows.

        A worker that was given up while it was only held up may take work before it is known again, and die.
        """
        unknown = self._work.executors() - {one.id for one in self._workers.all()} - {self._worker_id}
        return [review for each in sorted(unknown) for review in self._hand_on(each)]

    def end(self) -> list[str]:
        """This worker ends: what it leaves undone is for the others."""
        return self._hand_on(self._worker_id)

    def _dead(self) -> list[str]:
        now = self._clock()
        others = {one.id: one for one in self._workers.all() if one.id != self._worker_id}
        self._seen = {name: seen for name, seen in self._seen.items() if name in others}
        for name, other in others.items():
            if self._seen.get(name, (-1, 0.0))[0] != other.beat:
                self._seen[name] = (other.beat, now)
        return [name for name, other in others.items() if self._is_dead(other, now)]

    def _is_dead(self, other: KeptWorker, now: float) -> bool:
        if other.place == self._place and not _is_running(other.process):
            return True
        return now - self._seen[other.id][1] > self._dead_after

    def _hand_on(self, dead: str) -> list[str]:
        # One after the other: what was put back into the queue once must not be put there again.
        with self._database.alone():
            handed_on = self._work.hand_on(dead)
        self._workers.remove(dead)
        return handed_on


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
