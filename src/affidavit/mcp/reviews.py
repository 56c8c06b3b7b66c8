"""Reviews in the background: each a process of its own, followed by its events, ended with the server."""

import asyncio
import json
import os
import signal
import sys
import uuid
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from affidavit.errors import InputError, OutsideError
from affidavit.mcp.changes import WantedChange
from affidavit.records.report import Report

MAX_AT_ONCE = 2
MAX_KEPT = 50
GRACE_SECONDS = 5.0
PIECE_SECONDS = 0.2
NOT_DONE = 2


@dataclass
class BackgroundReview:
    """One review, as far as it is."""

    id: str
    folder: Path
    process: asyncio.subprocess.Process
    is_cancelled: bool = False
    seen: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    stage: str = "planner"

    @property
    def report_file(self) -> Path:
        """Where the native report is written at the end."""
        return self.folder / "report.json"

    @property
    def status(self) -> str:
        """In the words of the service: running, completed, failed, cancelled."""
        if self.process.returncode is None:
            return "running"
        if self.is_cancelled:
            return "cancelled"
        return "completed" if self.report_file.is_file() else "failed"

    def read_events(self) -> str:
        """Read on in the events; the newest, in words."""
        try:
            lines = (self.folder / "events.jsonl").read_text().splitlines()
        except OSError:
            return "starting"
        for line in lines[self.seen :]:
            self._note(line)
        self.seen = len(lines)
        found, judged = self.counts["finding.detected"], self.counts["finding.verified"]
        return f"{self.stage}; {self.counts['tool.called']} tool calls, {found} findings, {judged} judged"

    def _note(self, line: str) -> None:
        with suppress(ValueError, AttributeError):
            event = json.loads(line)
            self.counts[str(event.get("event") or event.get("name"))] += 1
            data = event.get("data") or {}
            self.stage = str(data.get("to") or data.get("agent") or self.stage)

    def failure(self) -> str:
        """What it said before it ended."""
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
        """Begin a review; it goes on whether or not somebody asks for it."""
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
        while len(self._kept) > MAX_KEPT:
            oldest = next(key for key, one in self._kept.items() if one.status != "running")
            del self._kept[oldest]
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
        """A review by its id."""
        if review_id not in self._kept:
            known = ", ".join(self._kept) or "none"
            raise InputError(f"there is no review {review_id!r}; there are: {known}")
        return self._kept[review_id]

    def report_of(self, review_id: str) -> Report | None:
        """The finished report, or None where it is not there yet."""
        review = self._kept.get(review_id)
        if review is None or review.status != "completed":
            return None
        return Report.model_validate_json(review.report_file.read_bytes())

    def completed(self) -> list[str]:
        """Ids of the reviews that have a report."""
        return [one.id for one in self._kept.values() if one.status == "completed"]

    async def wait(self, review: BackgroundReview, seconds: float) -> None:
        """Wait until the review ends, at most so long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await review.process.wait()

    async def cancel(self, review: BackgroundReview) -> None:
        """End a review; what it had found is lost."""
        if review.process.returncode is None:
            review.is_cancelled = True
            await _end(review.process)

    async def close(self) -> None:
        """End them all: nobody would read what they find."""
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
    """What an agent is told of a review."""
    answer: dict[str, Any] = {"review": review.id, "status": review.status, "progress": review.read_events()}
    if review.status == "failed":
        answer["error"] = review.failure() or "the review ended without a report"
    return answer
