"""The stages of a review, in order: read this file first."""

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from affidavit.baseline import read_baseline
from affidavit.code.skipping import mark_skipped
from affidavit.events import (
    Emit,
    finding_detected,
    handoff,
    ignore_events,
    pipeline_completed,
    pipeline_started,
)
from affidavit.ports import Brief, Repository, Specialist, Verifier
from affidavit.records.candidate import Status, Worth
from affidavit.records.change import Change
from affidavit.records.report import Part, Report
from affidavit.settings import Settings
from affidavit.stages.evidence import check_evidence, confirm_evidence
from affidavit.stages.merge import merge_candidates
from affidavit.stages.parse import parse_replies
from affidavit.stages.report import Proceedings, compile_report
from affidavit.stages.review import collect_replies
from affidavit.stages.verify import verify_candidates

NO_MODEL = Part(
    name="model specialists and verifier",
    reason="no model is configured",
    advice="The mechanical specialists reviewed alone.",
)


@dataclass(frozen=True)
class Crew:
    """Who works on a review, and what they know about rules."""

    specialists: Sequence[Specialist]
    same_problem: Callable[[str, str], bool]
    worth_of: Callable[[str], Worth]
    verifier: Verifier | None = None
    models: Mapping[str, str] = field(default_factory=dict)
    """Role to model; empty where no model looks."""

    @property
    def absent(self) -> list[Part]:
        """The parts of a whole review that nobody of this crew does."""
        return [] if self.models else [NO_MODEL]


async def review(
    change: Change, repository: Repository, settings: Settings, crew: Crew, emit: Emit = ignore_events
) -> Report:
    """From an opened change to the native report."""
    started, review_id = time.monotonic(), str(uuid.uuid4())
    emit(pipeline_started(review_id))
    change = mark_skipped(change, repository, settings.include, settings.exclude)
    emit(handoff("planner", "reviewer", chunks_count=len(change.reviewed_files())))

    replies = await collect_replies(crew.specialists, Brief(change, repository, emit))
    parsed = parse_replies(replies, change)
    checked = check_evidence(parsed.candidates, change, repository, has_verifier=crew.verifier is not None)
    merged = merge_candidates(checked.candidates, change, repository, crew.same_problem)
    standing = [candidate for candidate in merged if candidate.is_shown]
    for candidate in standing:
        emit(finding_detected(candidate))
    emit(handoff("reviewer", "verifier", findings_count=len(standing)))

    verified = await verify_candidates(
        merged, change, repository, verifier=crew.verifier, worth_of=crew.worth_of, emit=emit
    )
    confirmed = confirm_evidence(verified, repository)
    verified_count = sum(candidate.status is Status.VERIFIED for candidate in confirmed)
    emit(handoff("verifier", "reporter", verified_count=verified_count))

    proceedings = Proceedings(
        review_id=review_id,
        candidates=confirmed,
        replies=parsed.replies,
        incomplete=[*parsed.incomplete, *(part for reply in replies for part in reply.incomplete)],
        not_run=[*(part for reply in replies for part in reply.not_run), *crew.absent],
        analyser_runs=[run for reply in replies for run in reply.analyser_runs],
        diagnostics=[
            *(item for reply in replies for item in reply.diagnostics),
            *parsed.diagnostics,
            *checked.diagnostics,
        ],
        usage=[usage for reply in replies for usage in reply.usage],
        models=crew.models,
        duration_ms=round((time.monotonic() - started) * 1000),
    )
    dismissals = read_baseline(repository.base)
    report = compile_report(proceedings, change, settings, crew.specialists, dismissals)
    emit(pipeline_completed(report))
    return report
