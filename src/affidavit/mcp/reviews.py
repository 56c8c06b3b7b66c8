"""Run reviews in the background, each in a process that stops when the server stops."""

import asyncio
import json
import os
import signal
import sys
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from affidavit.errors import InputError, OutsideError
from affidavit.mcp.changes import WantedChange
from affidavit.records.report import Report

MAX_AT_ONCE = 2
GRACE_SECONDS = 5.0


@dataclass
class BackgroundReview:
    """A review and its state."""

    id: str
    folder: Path
    process: asyncio.subprocess.Process
    is_cancelled: bool = False

    @property
    def report_file(self) -> Path:
        """Return the path of the native report."""
        return self.folder / "report.json"

    @property
    def status(self) -> str:
        """Return running, completed, failed or cancelled."""
        if self.process.returncode is None:
            return "running"
        if self.is_cancelled:
            return "cancelled"
        return "completed" if self.report_file.is_file() else "failed"

    def read_events(self) -> str:
        """Return the stage of the newest event that has one."""
        with suppress(OSError, ValueError):
            lines = (self.folder / "events.jsonl").read_text().splitlines()
            data = [json.loads(line).get("data") or {} for line in lines]
            stages = [one.get("to") or one.get("agent") for one in reversed(data)]
            return next(filter(None, stages), "starting")
        return "starting"

    def failure(self) -> str:
        """Return the end of its error output."""
        with suppress(OSError):
            return (self.folder / "said.txt").read_text(errors="replace").strip()[-2000:]
        return ""


class BackgroundReviews:
    """The reviews of one server."""

    def __init__(self, repo: Path, arguments: Sequence[str], folder: Path) -> None:
        self._repo = repo
        self._arguments = arguments
        self._folder = folder
        self._kept: dict[str, BackgroundReview] = {}

    async def start(self, wanted: WantedChange) -> BackgroundReview:
        """Start a review; it runs whether or not anybody asks for it."""
        running = [one for one in self._kept.values() if one.status == "running"]
        if len(running) >= MAX_AT_ONCE:
            names = ", ".join(one.id for one in running)
            raise InputError(f"{len(running)} reviews are running ({names}): wait for one, or cancel it")
        wanted.request(self._repo)
        review_id = uuid.uuid4().hex[:12]
        folder = self._folder / review_id
        folder.mkdir(parents=True)
        process = await self._begin(wanted, folder)
        self._kept[review_id] = review = BackgroundReview(review_id, folder, process)
        return review

    async def _begin(self, wanted: WantedChange, folder: Path) -> asyncio.subprocess.Process:
        arguments = [sys.executable, "-m", "affidavit", "review", "--quiet", *self._arguments]
        arguments += [f"--format=report={folder / 'report.json'}", f"--events={folder / 'events.jsonl'}"]
        arguments += [f"--title={wanted.title}"] if wanted.title else []
        arguments += [f"--description={wanted.description}"] if wanted.description else []
        target = wanted.target
        if wanted.diff:
            file = folder / "change.diff"
            file.write_text(wanted.diff)
            target = str(file)
        with (folder / "said.txt").open("wb") as said:
            return await asyncio.create_subprocess_exec(
                *arguments,
                "--",
                *([target] if target else []),
                cwd=self._repo,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=said,
                start_new_session=True,
            )

    def find(self, review_id: str) -> BackgroundReview:
        """Return a review by its id."""
        if review_id not in self._kept:
            known = ", ".join(self._kept) or "none"
            raise InputError(f"there is no review {review_id!r}; there are: {known}")
        return self._kept[review_id]

    def report_of(self, review_id: str) -> Report | None:
        """Return the finished report; None before that."""
        review = self._kept.get(review_id)
        if review is None or review.status != "completed":
            return None
        return Report.model_validate_json(review.report_file.read_bytes())

    async def wait(self, review: BackgroundReview, seconds: float) -> None:
        """Wait until the review ends, but no longer than `seconds`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await review.process.wait()

    async def cancel(self, review: BackgroundReview) -> None:
        """End a review; its results are lost."""
        if review.process.returncode is None:
            review.is_cancelled = True
            await _end(review.process)

    async def close(self) -> None:
        """End all reviews."""
        await asyncio.gather(*(self.cancel(one) for one in self._kept.values()))


async def _end(process: asyncio.subprocess.Process) -> None:
    for how in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_SECONDS):
                await process.wait()
                return
    raise OutsideError(f"the review's process {process.pid} does not end")


def status_of(review: BackgroundReview) -> dict[str, Any]:
    """Describe the state of a review."""
    answer: dict[str, Any] = {"review": review.id, "status": review.status, "progress": review.read_events()}
    if review.status == "failed":
        answer["error"] = review.failure() or "the review ended without a report"
    return answer
