"""Run reviews in the background, each in a thread with its own event loop."""

import asyncio
import threading
import uuid
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

from affidavit.errors import AffidavitError, InputError
from affidavit.events import Emit, Event
from affidavit.mcp.changes import WantedChange
from affidavit.records.report import Report
from affidavit.reviewing.hold import hold, settings_for
from affidavit.reviewing.keeping import keep_review
from affidavit.reviewing.models import models_of
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.prompts import prompts_for
from affidavit.reviewing.series import Followed, followed_by
from affidavit.stages.intake import ChangeRequest, open_change

MAX_AT_ONCE = 2
GRACE_SECONDS = 10.0
Hold = Callable[[Emit], Coroutine[Any, Any, Report]]


class BackgroundReview:
    """A review in a thread, so that reading a large change does not delay other calls."""

    def __init__(self, hold: Hold) -> None:
        self.id = uuid.uuid4().hex[:12]
        self.progress = "starting"
        self._loop = asyncio.new_event_loop()
        self._task = self._loop.create_task(hold(self._follow))
        self._ended = threading.Event()
        threading.Thread(target=self._run, name=f"review-{self.id}").start()

    def _run(self) -> None:
        self._loop.run_until_complete(asyncio.wait([self._task]))
        self._loop.close()
        self._ended.set()

    def _follow(self, event: Event) -> None:
        self.progress = str(event.data.get("to") or event.data.get("agent") or self.progress)

    @property
    def status(self) -> str:
        """Return running, completed, failed or cancelled."""
        if not self._ended.is_set():
            return "running"
        if self._task.cancelled():
            return "cancelled"
        return "failed" if self._task.exception() else "completed"

    def describe(self) -> dict[str, Any]:
        """Return the state for an agent, with the error of a failed review."""
        answer = {"review": self.id, "status": self.status, "progress": self.progress}
        if answer["status"] == "failed":
            error = self._task.exception()
            kind = "" if isinstance(error, AffidavitError) else f"unexpected {type(error).__name__}: "
            answer["error"] = f"{kind}{error}"
        return answer

    def report(self) -> Report:
        """Return the report; raise the error of a failed review."""
        return self._task.result()

    async def wait(self, seconds: float) -> bool:
        """Wait for the end, but no longer than `seconds`; return whether it has come."""
        return await asyncio.to_thread(self._ended.wait, seconds)

    async def cancel(self) -> None:
        """End the review; its results are lost."""
        # The loop is closed if the review ended a moment ago.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._task.cancel)
        await self.wait(GRACE_SECONDS)


class BackgroundReviews:
    """The reviews of one server."""

    def __init__(self, repo: Path, options: ReviewOptions) -> None:
        self._repo = repo
        self._options = options
        self._kept: dict[str, BackgroundReview] = {}

    def start(self, wanted: WantedChange) -> BackgroundReview:
        """Start a review; raise InputError if too many are running."""
        running = [one.id for one in self._kept.values() if one.status == "running"]
        if len(running) >= MAX_AT_ONCE:
            names = ", ".join(running)
            raise InputError(f"{len(running)} reviews are running ({names}): wait for one, or cancel it")
        request = wanted.request(self._repo)
        review = BackgroundReview(lambda emit: _review(request, self._options, emit))
        self._kept[review.id] = review
        return review

    def find(self, review_id: str) -> BackgroundReview:
        """Return a review by its id."""
        if review_id not in self._kept:
            known = ", ".join(self._kept) or "none"
            raise InputError(f"there is no review {review_id!r}; there are: {known}")
        return self._kept[review_id]

    def report_of(self, review_id: str) -> Report | None:
        """Return the finished report; None before that."""
        review = self._kept.get(review_id)
        return review.report() if review and review.status == "completed" else None

    async def close(self) -> None:
        """End all reviews."""
        await asyncio.gather(*(one.cancel() for one in self._kept.values()))


async def _review(request: ChangeRequest, options: ReviewOptions, emit: Emit) -> Report:
    """Review a change and keep the report, as `affidavit review` does."""
    with open_change(request) as opened:
        settings = settings_for(opened, options)
        is_empty = not opened.change.files
        prompts = prompts_for(opened, options) if not is_empty and models_of(settings, options) else None
        followed = Followed() if is_empty else followed_by(opened, options)
        chosen = prompts.prompts if prompts else None
        report = await hold(opened, settings, options, chosen, emit, earlier=followed.earlier)
    return keep_review(report, followed, prompts, options)
