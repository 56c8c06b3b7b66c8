"""What a worker has at hand for its reviews, and what it does with one from its beginning to its end."""

import asyncio
import random
from dataclasses import dataclass, field
from typing import Any

from affidavit.errors import AffidavitError, OutsideError
from affidavit.events import EventName, event, now_iso
from affidavit.lab.labels.measures import with_measured
from affidavit.lab.rollout.book import RolloutBook
from affidavit.lab.rollout.choice import choose_prompts
from affidavit.lab.rollout.decisions import record_review
from affidavit.records.candidate import Status
from affidavit.records.change import Change
from affidavit.records.diagnostics import Reason
from affidavit.records.report import Report
from affidavit.records.review import FindingCounts, ReviewOutcome, WantedReview
from affidavit.render.formats import render
from affidavit.service.settings import ServiceSettings
from affidavit.service.telemetry import metrics
from affidavit.service.work.calls import Calls
from affidavit.service.work.channel import ChannelClosed, Refused
from affidavit.service.work.diary import Diary, LostReview
from affidavit.service.work.held import HeldReview, KeepStep
from affidavit.service.work.nursery import Nursery
from affidavit.service.work.source import locate_source
from affidavit.store.open import Store
from affidavit.store.progress import Progress
from affidavit.store.reviews import Reviews

ATTEMPTS = 3
FIRST_DELAY_SECONDS = 1.0


@dataclass
class Workplace:
    """One worker's tools."""

    settings: ServiceSettings
    store: Store
    calls: Calls
    nursery: Nursery
    held: dict[str, HeldReview] = field(default_factory=dict)
    """By review."""

    def __post_init__(self) -> None:
        self.reviews = Reviews(self.store.database)
        self.progress = Progress(self.store.database)

    async def do(self, review_id: str, keep: KeepStep) -> None:
        """Do a review, or go on with one that somebody else began."""
        owner = self.settings.worker_id
        review = await asyncio.to_thread(self.reviews.begin, review_id, owner, now_iso())
        wanted = await asyncio.to_thread(self.reviews.request, review_id)
        if review is None or wanted is None:
            # It was cancelled or deleted while it waited.
            return
        diary = Diary(self.progress, review_id, review.tenant, owner)

        async def note_stage(stage: str) -> None:
            if not await asyncio.to_thread(self.reviews.note, review_id, owner, stage=stage):
                raise LostReview

        held = HeldReview(review, self.calls, diary, keep, note_stage)
        self.held[review_id] = held
        try:
            async with asyncio.timeout(self.settings.limits.review_seconds):
                await self._until_done(held, wanted)
        except LostReview:
            return
        except TimeoutError:
            hours = self.settings.limits.review_seconds / 3600
            await self._fail(held, f"it was not done after {hours:g} hours")
        except (AffidavitError, Refused, ChannelClosed) as error:
            await self._fail(held, _said(error))
        finally:
            self.held.pop(review_id, None)

    async def _until_done(self, held: HeldReview, wanted: WantedReview) -> None:
        """Try again what may go well the next time, each time after a longer pause."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                await held.work(self.nursery, lambda at: self._hold(at, wanted))
                return
            except (ChannelClosed, OutsideError) as error:
                if await self._is_over(held):
                    raise LostReview from error
                if attempt == ATTEMPTS or not getattr(error, "retryable", True):
                    raise
            pause = FIRST_DELAY_SECONDS * 2 ** (attempt - 1)
            await asyncio.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 - no secret
        raise AssertionError("the last attempt returns or raises")

    async def _is_over(self, held: HeldReview) -> bool:
        now = await asyncio.to_thread(self.reviews.find, held.review.id, None)
        return now is None or now.is_finished or now.owner != self.settings.worker_id

    async def _hold(self, held: HeldReview, wanted: WantedReview) -> None:
        review = held.review
        wanted = await locate_source(self.settings, wanted)
        opened = await held.open(wanted)
        change = Change.model_validate(opened["change"])
        await asyncio.to_thread(self._note_change, review.id, change)
        drawn = await held.draw("prompts", lambda: self._prompts(change))
        options = {**self.settings.options, **wanted.options}
        options["run"] = bool(wanted.allows_run and self.settings.allows_run)
        report = await held.conduct(
            options=options,
            environment=self.settings.cell_settings,
            models={role: choice.model_dump(mode="json") for role, choice in self.settings.models.items()},
            prompts=drawn["prompts"] if drawn else None,
            exchanges=await asyncio.to_thread(self.progress.exchanges, review.id),
        )
        held.stage = "keep"
        await held.diary.flush()
        await asyncio.to_thread(self._keep, held, Report.model_validate(report), drawn)

    def _note_change(self, review_id: str, change: Change) -> None:
        self.reviews.note(
            review_id,
            self.settings.worker_id,
            change=change.model_dump_json(),
            title=_title_of(change),
            base=change.base.commit or change.base.tree,
            head=change.head.commit or change.head.tree,
        )

    async def _prompts(self, change: Change) -> dict[str, Any] | None:
        """The prompts of this change, drawn once; None where no model looks."""
        if not self.settings.models:
            return None
        return await asyncio.to_thread(self._drawn, change)

    def _drawn(self, change: Change) -> dict[str, Any]:
        options = self.settings.options
        book = RolloutBook(self.store)
        chosen = choose_prompts(
            book, change, version=options.get("prompt_version"), folder=options.get("prompts")
        )
        prompts = chosen.prompts
        return {
            "prompts": {
                "version": prompts.version,
                "templates": dict(prompts.templates),
                "schema_version": prompts.schema_version,
            },
            "rollout": chosen.rollout.number if chosen.rollout else None,
            "arm": chosen.arm,
            "change_key": chosen.change_key,
        }

    def _keep(self, held: HeldReview, report: Report, drawn: dict[str, Any] | None) -> None:
        """Keep the report, and only then say that the review is done."""
        review_id, owner = held.review.id, self.settings.worker_id
        if not self.reviews.note(review_id, owner, stage="keep"):
            raise LostReview
        report = with_measured(report, self.store)
        self.store.reports.save(report, render(report, "report").encode())
        self._count_for_rollout(report, drawn)
        data = held.completed or event(EventName.PIPELINE_COMPLETED, review_id=review_id).data
        last = held.diary.known(str(EventName.PIPELINE_COMPLETED), data)
        self.progress.add_events(review_id, [last], owner)
        _count(report)
        self.reviews.finish(
            review_id,
            "completed",
            now_iso(),
            owner=owner,
            stage=None,
            verdict=report.verdict.decision,
            outcome=outcome_of(report),
            cost_usd=cost_of(report),
        )

    def _count_for_rollout(self, report: Report, drawn: dict[str, Any] | None) -> None:
        if not drawn or drawn["rollout"] is None:
            return
        book = RolloutBook(self.store)
        rollout = self.store.rollouts.numbered(drawn["rollout"])
        if rollout is not None:
            record_review(book, rollout, drawn["arm"], drawn["change_key"], report)

    async def _fail(self, held: HeldReview, reason: str) -> None:
        """End a review that cannot go on: what is known of it stays, and so does the way to go on."""
        review_id, owner = held.review.id, self.settings.worker_id
        with_reason = {"review_id": review_id, "stage": held.stage, "reason": reason, "timestamp": now_iso()}
        held.diary.event("pipeline.failed", with_reason)
        try:
            await held.diary.flush()
        except LostReview:
            return
        await asyncio.to_thread(
            self.reviews.finish, review_id, "failed", now_iso(), owner=owner, stage=held.stage, reason=reason
        )
        metrics.REVIEWS.labels("failed", "").inc()
        raise FailedReview(reason)


class FailedReview(Exception):  # noqa: N818 - it is an outcome, and kept as one
    """A review that ended without a report; the engine keeps it as failed, so that it can be retried."""


def _count(report: Report) -> None:
    outcome, version = outcome_of(report), report.prompt_version
    metrics.REVIEWS.labels("completed", report.verdict.decision).inc()
    metrics.REVIEW_SECONDS.observe(report.duration_ms / 1000)
    metrics.TOKENS.labels(version).inc(sum(one.input_tokens + one.output_tokens for one in report.usage))
    metrics.MONEY.labels(version).inc(cost_of(report) or 0.0)
    fates = {
        "shown": outcome.findings.shown,
        "withheld": outcome.findings.withheld,
        "dropped": outcome.dropped,
        "relocated": outcome.relocated,
        "refuted": outcome.refuted,
    }
    for fate, count in fates.items():
        metrics.FINDINGS.labels(fate, version).inc(count)


def _title_of(change: Change) -> str:
    """What a list calls the change; a diff that nobody named is called by its files."""
    if change.title_from != "default":
        return change.title
    first, others = change.files[0].path, len(change.files) - 1
    return f"{first} and {others} more" if others else first


def _said(error: Exception) -> str:
    if isinstance(error, ChannelClosed):
        return f"the process that worked on it ended {ATTEMPTS} times"
    return str(error) or type(error).__name__


def outcome_of(report: Report) -> ReviewOutcome:
    """What a list says of a finished review."""
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
        dropped=_noted(report, Reason.FINDING_DROPPED, Reason.EVIDENCE_NOT_FOUND),
        relocated=_noted(report, Reason.EVIDENCE_RELOCATED, Reason.EVIDENCE_AMBIGUOUS),
        refuted=sum(one.status is Status.FALSE_POSITIVE for one in report.candidates),
        is_incomplete=bool(report.incomplete),
        models=report.models,
        prompt_version=report.prompt_version,
    )


def _noted(report: Report, *codes: Reason) -> int:
    return sum(one.code in codes for one in report.diagnostics)


def cost_of(report: Report) -> float | None:
    """What the review cost; None where a price is not known."""
    costs = [one.cost_usd for one in report.usage]
    return None if None in costs else sum(cost or 0.0 for cost in costs)
