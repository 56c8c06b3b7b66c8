"""Run one review of the queue from start to end; adopt reports of the command line as reviews."""

import asyncio
import json
import threading
from dataclasses import dataclass, field
from typing import Any

import structlog
from tenacity import AsyncRetrying, RetryCallState

from affidavit.errors import AffidavitError, OutsideError, StoreError, UnreadableReportError
from affidavit.events import EventName, event, now_iso
from affidavit.quality.measures import with_measured
from affidavit.quality.rollout import record_review
from affidavit.records.change import Change
from affidavit.records.iteration import DEFAULT_TENANT
from affidavit.records.report import Report
from affidavit.render.formats import render
from affidavit.service import metrics
from affidavit.service.child.channel import ChannelClosed, Refused
from affidavit.service.child.spawner import Spawner
from affidavit.service.kept.progress import ReviewProgress
from affidavit.service.kept.records import COMMAND_LINE, FindingCounts, ReviewOutcome, WantedReview
from affidavit.service.kept.reviews import Reviews
from affidavit.service.settings import ServiceSettings
from affidavit.service.work.attempt import Diary, HeldReview, LostReview
from affidavit.service.work.calls import Calls
from affidavit.service.work.forgetting import Caches
from affidavit.service.work.terms import Series, locate_source, models_for, options_for, prompts_for
from affidavit.service.work.waiting import (
    ATTEMPTS,
    StageRetries,
    error_of,
    pause_before_retry,
    until_it_answers,
    until_it_is_done,
)
from affidavit.store.open import SqliteFile, Store

LOG = structlog.get_logger("affidavit.worker")


@dataclass
class ReviewRunner:
    """Runs the reviews of one worker."""

    settings: ServiceSettings
    store: Store
    calls: Calls
    spawner: Spawner
    caches: Caches
    held: dict[str, HeldReview] = field(default_factory=dict)
    """By review id."""
    is_ending: bool = False
    """Errors from now on may come from the shutdown itself, so no review fails because of them."""

    def __post_init__(self) -> None:
        self.reviews = Reviews(self.store.database)
        self.progress = ReviewProgress(self.store.database)

    async def do(self, review_id: str) -> None:
        """Run a review; one that another worker began runs again over the stored exchanges."""
        owner = self.settings.worker_id
        await self._release(review_id)
        review = await until_it_answers(lambda: self.reviews.begin(review_id, owner, now_iso()))
        if review is None:
            # Cancelled or deleted while it was queued.
            return
        held = HeldReview(review, self.calls, Diary(self.progress, review_id, owner))
        self.held[review_id] = held
        try:
            async with asyncio.timeout(self.settings.limits.review_seconds):
                wanted = await until_it_answers(lambda: self.reviews.request(review_id))
                if wanted is not None:
                    await self._until_done(held, wanted)
        except LostReview:
            return
        except TimeoutError:
            hours = self.settings.limits.review_seconds / 3600
            await self._fail(held, f"it was not done after {hours:g} hours")
        except (AffidavitError, Refused, ChannelClosed) as error:
            if self.is_ending:
                raise
            await self._fail(held, _said(error))
        except Exception as error:
            if self.is_ending:
                raise
            # Without this, the review would seem to run for ever.
            LOG.exception("a fault in Affidavit", stage=held.stage)
            await self._fail(held, f"a fault in Affidavit itself, {type(error).__name__}: {error}")
        finally:
            self.held.pop(review_id, None)
            held.released.set()

    async def release_lost(self) -> None:
        """Stop work on reviews that this worker has lost."""
        # A copy: a review taken while the database answers is not in the answer.
        held = dict(self.held)
        owners = await asyncio.to_thread(self.reviews.owners, list(held)) if held else {}
        for review_id, one in held.items():
            if owners.get(review_id) != self.settings.worker_id:
                one.stop()

    async def _release(self, review_id: str) -> None:
        """End this worker's own attempt: others gave the review up, and it came back."""
        if before := self.held.get(review_id):
            before.stop()
            await before.released.wait()

    async def _until_done(self, held: HeldReview, wanted: WantedReview) -> None:
        """Run the review, with retries; model calls that were paid are not repeated."""
        stages = StageRetries()

        async def may_retry(state: RetryCallState) -> bool:
            error = error_of(state)
            is_stage = isinstance(error, ChannelClosed | OutsideError) and not isinstance(error, StoreError)
            if is_stage and await self._is_over(held):
                raise LostReview from error
            return stages.allow(error, held.stage)

        def log(state: RetryCallState) -> None:
            seconds, reason = round(state.upcoming_sleep, 1), _said(error_of(state))
            LOG.warning("a stage is retried", seconds=seconds, stage=held.stage, reason=reason)

        retrying = AsyncRetrying(retry=may_retry, wait=pause_before_retry, before_sleep=log, sleep=held.rest)
        await retrying(self._work, held, wanted)

    async def _work(self, held: HeldReview, wanted: WantedReview) -> None:
        with self.caches.used(held.review.tenant) as held.cache:
            await held.work(self.spawner, lambda at: self._hold(at, wanted))

    async def _is_over(self, held: HeldReview) -> bool:
        now = await until_it_answers(lambda: self.reviews.find(held.review.id, None))
        return now is None or now.is_finished or now.owner != self.settings.worker_id

    async def _hold(self, held: HeldReview, wanted: WantedReview) -> None:
        review = held.review
        wanted = await locate_source(self.settings, wanted, held.cache)
        opened = await held.open(wanted)
        change = Change.model_validate(opened["change"])
        await asyncio.to_thread(self._note_change, review.id, change)
        series = Series(self.store, review.tenant, opened["repository"], wanted)
        drawn = await self._drawn(held, series, change)
        report = await held.conduct(
            options=options_for(self.settings, wanted, review.tenant),
            environment=self.settings.cell_settings,
            models=models_for(self.settings),
            prompts=drawn["prompts"],
            exchanges=await self._exchanges(held),
            earlier=drawn["earlier"],
        )
        held.reach("keep")
        await held.diary.flush()
        await asyncio.to_thread(self._keep, held, Report.model_validate(report), drawn, series)

    def _note_change(self, review_id: str, change: Change) -> None:
        self.reviews.note(
            review_id,
            self.settings.worker_id,
            title=title_of(change),
            base=change.base.commit or change.base.tree,
            head=change.head.commit or change.head.tree,
        )

    async def _drawn(self, held: HeldReview, series: Series, change: Change) -> dict[str, Any]:
        """Choose the earlier review and the prompts once, and store the choice with the review."""
        review_id, owner = held.review.id, self.settings.worker_id
        kept = await asyncio.to_thread(self.reviews.drawn, review_id)
        if kept is not None:
            return kept
        earlier = await series.before(held.is_merged, change)
        drawn = {"earlier": earlier, "prompts": None, "rollout": None}
        if self.settings.models:
            drawn |= await asyncio.to_thread(prompts_for, self.settings, self.store, change)
        values: dict[str, Any] = {"drawn": json.dumps(drawn, ensure_ascii=True)}
        if series.name:
            values["iteration"] = earlier["number"] + 1 if earlier else 1
            values["follows"] = earlier["report_id"] if earlier else None
        if not await asyncio.to_thread(self.reviews.note, review_id, owner, **values):
            raise LostReview
        return drawn

    async def _exchanges(self, held: HeldReview) -> list[dict[str, Any]]:
        """Return the stored answers of models and programs, including those of a child that just died."""
        await held.diary.flush()
        return await asyncio.to_thread(self.progress.exchanges, held.review.id)

    def _keep(self, held: HeldReview, report: Report, drawn: dict[str, Any], series: Series) -> None:
        """Store the report, and only then finish the review."""
        review_id, owner = held.review.id, self.settings.worker_id
        if not self.reviews.note(review_id, owner, stage="keep"):
            raise LostReview
        report = with_measured(report, self.store, held.review.tenant)
        body = render(report, "report").encode()
        self.store.reports.save(report, body)
        series.add(report, body)
        self._count_for_rollout(report, drawn)
        data = held.completed or event(EventName.PIPELINE_COMPLETED, review_id=review_id).data
        last = held.diary.identified(str(EventName.PIPELINE_COMPLETED), data)
        self.progress.add_events(review_id, [last], owner)
        self.reviews.finish(
            review_id,
            "completed",
            now_iso(),
            owner=owner,
            stage=None,
            verdict=report.verdict.decision,
            outcome=outcome_of(report),
            cost_usd=report.cost_usd,
        )
        _count(report)

    def _count_for_rollout(self, report: Report, drawn: dict[str, Any]) -> None:
        if drawn["rollout"] is not None:
            record_review(self.store, drawn["rollout"], drawn["arm"], drawn["change_key"], report)

    async def _fail(self, held: HeldReview, reason: str) -> None:
        """End a review that cannot go on; it can be retried."""
        review_id, owner = held.review.id, self.settings.worker_id
        with_reason = {"review_id": review_id, "stage": held.stage, "reason": reason, "timestamp": now_iso()}
        # A retried review may fail again in the same way.
        held.diary.event("pipeline.failed", with_reason, held.review.attempt)
        last_words = {"owner": owner, "stage": held.stage, "reason": reason}
        try:
            await until_it_is_done(held.diary.flush)
        except LostReview:
            return
        await until_it_answers(lambda: self.reviews.finish(review_id, "failed", now_iso(), **last_words))
        metrics.REVIEWS.labels("failed", "").inc()
        LOG.warning("review fails", stage=held.stage, reason=reason)
        raise FailedReview(reason)


class FailedReview(Exception):  # noqa: N818 - an outcome
    """A review that ended without a report; the engine marks it as failed, so it can be retried."""


def _count(report: Report) -> None:
    version = report.prompt_version
    metrics.REVIEWS.labels("completed", report.verdict.decision).inc()
    metrics.REVIEW_SECONDS.observe(report.duration_ms / 1000)
    metrics.TOKENS.labels(version).inc(sum(one.input_tokens + one.output_tokens for one in report.usage))
    metrics.MONEY.labels(version).inc(report.cost_usd or 0.0)


def title_of(change: Change) -> str:
    """Return the title for lists; an untitled diff is named after its files."""
    if change.title_from != "default" or not change.files:
        return change.title
    first, others = change.files[0].path, len(change.files) - 1
    return f"{first} and {others} more" if others else first


def _said(error: BaseException | None) -> str:
    if isinstance(error, ChannelClosed):
        return f"the process that worked on it ended, {ATTEMPTS} times at this stage"
    return str(error) or type(error).__name__


def outcome_of(report: Report) -> ReviewOutcome:
    """Summarise a finished review for lists."""
    counts = report.verdict.counts
    return ReviewOutcome(
        summary=report.verdict.summary,
        duration_ms=report.duration_ms,
        findings=FindingCounts(
            shown=counts.shown,
            withheld=counts.withheld,
            blocking=counts.blocking,
            by_severity=counts.by_severity,
        ),
        is_incomplete=bool(report.incomplete),
        models=report.models,
        prompt_version=report.prompt_version,
    )


AT_ONCE = 100
"""The length of one page of the list."""


class Adoption:
    """Makes reviews for reports of the command line, which belong to the default tenant."""

    def __init__(self, store: Store) -> None:
        self._store, self._reviews = store, Reviews(store.database)
        self._lock = threading.Lock()
        self._unreadable: set[str] = set()
        """Reports of other versions; each is read once."""

    def adopt(self, tenant: str) -> None:
        """Adopt the newest reports, if this is the default tenant."""
        # The command line keeps reports in files alone; elsewhere there may be millions to look through.
        if tenant != DEFAULT_TENANT or not isinstance(self._store.location, SqliteFile):
            return
        with self._lock:
            unknown = (one for one in self._reviews.without_review() if one not in self._unreadable)
            for report_id, _ in zip(unknown, range(AT_ONCE), strict=False):
                self._adopt(report_id)

    def _adopt(self, report_id: str) -> None:
        try:
            report = self._store.reports.load(report_id)
        except UnreadableReportError:
            self._unreadable.add(report_id)
            return
        if report is not None:
            places = self._store.iterations.with_report(report_id)
            place = {"series": places[0].series, "iteration": places[0].iteration} if places else {}
            self._reviews.adopt({**_row(report), **place})


def _row(report: Report) -> dict[str, Any]:
    change = report.change
    wanted = WantedReview(
        source="diff" if change.source == "diff" else "repository",
        repository=change.repository,
        url=change.request,
    )
    return {
        "id": report.id,
        "tenant": DEFAULT_TENANT,
        "status": "completed",
        "created_at": report.created_at,
        "started_at": report.created_at,
        "finished_at": report.created_at,
        "source": wanted.source,
        "repository": change.repository,
        "base": change.base.commit or change.base.tree,
        "head": change.head.commit or change.head.tree,
        "title": title_of(change),
        "submitted_by": COMMAND_LINE,
        "request": wanted.model_dump_json(),
        "verdict": report.verdict.decision,
        "outcome": outcome_of(report).model_dump_json(),
        "cost_usd": report.cost_usd,
        "tokens": sum(one.input_tokens + one.output_tokens for one in report.usage),
    }
