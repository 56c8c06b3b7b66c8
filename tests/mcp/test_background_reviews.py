"""A review in the background is followed, ended with what it started, and its failure is said."""

import asyncio
import os
from pathlib import Path

from affidavit.errors import InputError
from affidavit.events import Emit, handoff
from affidavit.mcp.reviews import BackgroundReview
from affidavit.records.report import Report
from affidavit.system.child_process import run_child
from reports import a_report


def test_a_cancelled_review_ends_the_programs_it_started(tmp_path: Path) -> None:
    started = tmp_path / "pid"

    async def hold(emit: Emit) -> Report:
        emit(handoff("planner", "reviewer"))
        script = f"echo $$ > {started}; exec sleep 60"
        await run_child(
            ["/bin/sh", "-c", script], folder=tmp_path, environment=os.environ, seconds=60, max_bytes=1_000
        )
        return a_report()

    async def run() -> BackgroundReview:
        review = BackgroundReview(hold)
        while not (started.exists() and started.read_text()):
            assert not await review.wait(0.05)
        assert review.describe() == {"review": review.id, "status": "running", "progress": "reviewer"}
        await review.cancel()
        return review

    review = asyncio.run(run())
    assert review.status == "cancelled"
    assert not Path("/proc", started.read_text().strip()).exists()


def test_a_failed_review_says_why() -> None:
    async def hold(_emit: Emit) -> Report:
        raise InputError("there is no commit x")

    async def run() -> BackgroundReview:
        review = BackgroundReview(hold)
        assert await review.wait(10)
        await review.cancel()
        return review

    told = asyncio.run(run()).describe()
    assert (told["status"], told["error"]) == ("failed", "there is no commit x")
