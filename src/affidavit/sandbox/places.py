"""A bound on programs at once: a sandbox in, the same with a number of places out, whoever asks."""

import os
import threading

from affidavit.sandbox.job import Ended, Job, Sandbox

LOOK_SECONDS = 0.1
"""How often somebody who waits looks whether nobody wants it any more."""


def usual_places() -> int:
    """One for each core that this process may use: more at once would only take each other's time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class BoundedSandbox:
    """Runs a few jobs at a time, for all specialists and verifiers of a review; the others wait.

    A job's own time begins when it is run.
    """

    def __init__(self, sandbox: Sandbox, places: int | None = None) -> None:
        self._sandbox = sandbox
        self._places = threading.BoundedSemaphore(places or usual_places())

    @property
    def name(self) -> str:
        """What stands between a program and this machine."""
        return self._sandbox.name

    def run(self, job: Job) -> Ended:
        """Run a job when a place is free, unless it is stopped before."""
        while not self._places.acquire(timeout=LOOK_SECONDS):
            if job.stopped is not None and job.stopped.is_set():
                return Ended("not_started", detail="the review was stopped")
        try:
            return self._sandbox.run(job)
        finally:
            self._places.release()
