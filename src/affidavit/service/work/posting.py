"""Post a finished review as durable work, in a separate process that has the forge token."""

import asyncio
import json
import random
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import structlog
from dbos import DBOS, PortableWorkflowError, StepOptions
from dbos import error as engine_errors

from affidavit.errors import AffidavitError, InputError, OutsideError
from affidavit.events import now_iso
from affidavit.forges.answers import Decision
from affidavit.records.report import Report
from affidavit.reviewing.keeping import keep_decisions
from affidavit.service.child.spawner import PASSED_ON
from affidavit.service.kept.progress import Postings
from affidavit.service.kept.records import Posting, PostingState
from affidavit.service.kept.reviews import Reviews
from affidavit.service.settings import ServiceSettings
from affidavit.service.work.waiting import until_it_answers
from affidavit.store.open import Store

LOG = structlog.get_logger("affidavit.posting")
ATTEMPTS = 5
SECONDS = 900.0
ALSO_FOR_THE_POSTER = (
    "AFFIDAVIT_POST_AS",
    "AFFIDAVIT_GITHUB_HOSTS",
    "AFFIDAVIT_GITLAB_HOSTS",
    "XDG_CONFIG_HOME",
    "HOME",
    *(name for proxy in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY") for name in (proxy, proxy.lower())),
)
"""Forge hosts and proxies."""


def poster_environment(settings: ServiceSettings) -> dict[str, str]:
    """Return the environment of the posting process: the posting token and no other secret."""
    passed = {
        name: settings.environment[name]
        for name in (*PASSED_ON, *ALSO_FOR_THE_POSTER)
        if name in settings.environment
    }
    return {**passed, **settings.posting_secrets}


@dataclass(frozen=True)
class PostOffice:
    """Posts reviews and stores the results."""

    settings: ServiceSettings
    store: Store

    @property
    def postings(self) -> Postings:
        """The stored postings."""
        return Postings(self.store.database)

    async def do(self, review_id: str) -> None:
        """Post a waiting posting as a step of the engine, with retries."""
        posting = await until_it_answers(lambda: self.postings.find(review_id))
        review = await until_it_answers(lambda: Reviews(self.store.database).find(review_id, None))
        if posting is None or posting.state != "waiting" or review is None or review.url is None:
            return
        try:
            done = await DBOS.run_step_async(_patiently(), self._attempt, posting, review.url)
        except engine_errors.DBOSMaxStepRetriesExceeded as error:
            await self._finish(posting, "failed", reason=str(error.errors[-1]))
        except (AffidavitError, PortableWorkflowError) as error:
            await self._finish(posting, "failed", reason=str(error))
        else:
            await self._finish(posting, "posted", reason=None, **done)

    async def _attempt(self, posting: Posting, url: str) -> dict[str, Any]:
        """Post once; store the reason of a retry."""
        try:
            return await self.post(posting.review_id, url)
        except OutsideError as error:
            if error.retryable:
                LOG.warning("posting is tried again", reason=str(error))
                await asyncio.to_thread(self.postings.note_try, posting, str(error))
            raise

    async def post(self, review_id: str, url: str) -> dict[str, Any]:
        """Post a review once; raise an error, `retryable` if a retry may help."""
        body = await asyncio.to_thread(self.store.reports.load_bytes, review_id)
        if body is None:
            raise InputError("the review has no report, so there is nothing to post")
        said = await _ask_poster(poster_environment(self.settings), url, body)
        if "error" in said:
            raise OutsideError(str(said["error"]), retryable=bool(said["retryable"]))
        decisions = [Decision.model_validate(one) for one in said["posted"]["decisions"]]
        await asyncio.to_thread(self._keep, Report.model_validate_json(body), decisions, url)
        return {"actions": said["actions"], "notes": said["posted"]["notes"]}

    def _keep(self, report: Report, decisions: list[Decision], url: str) -> None:
        keep_decisions(self.store, report, decisions, url.split("/")[2])

    async def _finish(self, posting: Posting, state: PostingState, **values: Any) -> None:
        await until_it_answers(lambda: self.postings.finish(posting, state, now_iso(), **values))
        LOG.info("posting ends", state=state, reason=values.get("reason"))


def _patiently() -> StepOptions:
    """Configure the retries: growing pauses with jitter."""
    return {
        "name": "post",
        "retries_allowed": True,
        "max_attempts": ATTEMPTS,
        "interval_seconds": random.uniform(1.0, 3.0),  # noqa: S311 - no secret
        "backoff_rate": 3.0,
        "should_retry": lambda error: bool(getattr(error, "retryable", False)),
    }


async def _ask_poster(environment: Mapping[str, str], url: str, body: bytes) -> dict[str, Any]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "affidavit.service.work.poster",
        env=dict(environment),
        cwd=tempfile.gettempdir(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
        limit=50_000_000,
    )
    if process.stdin is None or process.stdout is None:
        raise AssertionError("both were asked for")
    try:
        async with asyncio.timeout(SECONDS):
            # The input stays open: if this process dies, it closes, and the poster ends.
            process.stdin.write(json.dumps({"url": url, "report": body.decode()}).encode() + b"\n")
            await process.stdin.drain()
            line = await process.stdout.readline()
    except (TimeoutError, ConnectionError) as error:
        raise OutsideError(f"posting was not done after {SECONDS:g} seconds", retryable=True) from error
    finally:
        process.stdin.close()
        if process.returncode is None:
            process.kill()
        await process.wait()
    if not line:
        raise OutsideError("the process that posts ended without a word", retryable=True)
    said: dict[str, Any] = json.loads(line)
    return said
