"""Run the product over labelled cases, several at once, and score what it says."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from affidavit import __version__
from affidavit.errors import AffidavitError, StoreError
from affidavit.events import now_iso
from affidavit.lab.cases.folders import CaseFolder
from affidavit.lab.cases.repositories import CaseRepositories
from affidavit.lab.evaluation.archive import Archive
from affidavit.lab.evaluation.scoring import (
    cost_of,
    score,
    score_by_category,
    score_by_language,
    score_review,
    stability,
    tokens_of,
    total_cost,
)
from affidavit.lab.evaluation.sessions import ReviewSessions, count_programs, run_declared
from affidavit.lab.records import CaseResult, CaseRun, DeclaredRun, Evaluation, LabelledCase
from affidavit.proof.running.own_names import own_names
from affidavit.records.label import Label
from affidavit.stages.looking.intake import ChangeRequest, open_change

CaseState = Literal["started", "done", "failed"]
Follow = Callable[[str, CaseState], None]


def follow_nothing(_case_id: str, _state: CaseState) -> None:
    """For those who need no progress."""


@dataclass(frozen=True)
class EvaluationPlan:
    """How the cases are run."""

    repositories: CaseRepositories
    sessions: ReviewSessions
    runs: int = 1
    jobs: int = 1
    archive: Archive | None = None
    labels: Mapping[str, Mapping[str, Label]] = field(default_factory=dict)
    """What people said about findings, by repository and fingerprint."""
    follow: Follow = follow_nothing


async def evaluate(cases: Sequence[CaseFolder], plan: EvaluationPlan) -> Evaluation:
    """Review and score every case; one that cannot be reviewed is stated and is no success."""
    places = asyncio.Semaphore(plan.jobs)

    async def one(held: CaseFolder) -> CaseResult:
        async with places:
            plan.follow(held.case.id, "started")
            result = await _evaluate_case(held, plan)
            plan.follow(held.case.id, "failed" if result.failure else "done")
            return result

    evaluation = compile_evaluation(await _all_or_first_error([one(held) for held in cases]), plan)
    if plan.archive:
        plan.archive.finish(evaluation)
    return evaluation


async def _all_or_first_error(working: Sequence[Coroutine[Any, Any, CaseResult]]) -> list[CaseResult]:
    """Every result in order; the first error ends all others."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(each) for each in working]
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


def compile_evaluation(results: Sequence[CaseResult], plan: EvaluationPlan) -> Evaluation:
    """The evaluation out of the results of its cases."""
    runs = [run for result in results for run in result.runs]
    return Evaluation(
        **score(results).model_dump(),
        affidavit_version=__version__,
        created_at=now_iso(),
        prompt_version=plan.sessions.prompts.version,
        models=plan.sessions.models,
        judge=plan.sessions.judge,
        runs=plan.runs,
        not_run=sum(bool(result.failure) for result in results),
        incomplete=sum(bool(run.incomplete) for run in runs),
        by_language=score_by_language(results),
        by_category=score_by_category(results),
        stability=stability(results, plan.runs),
        duration_ms=sum(run.duration_ms for run in runs),
        tokens=sum(run.tokens for run in runs),
        cost_usd=total_cost(run.cost_usd for run in runs),
        judge_tokens=sum(run.judge_tokens for run in runs),
        judge_cost_usd=total_cost(run.judge_cost_usd for run in runs),
        programs=count_programs(results),
        results=tuple(results),
    )


async def _evaluate_case(held: CaseFolder, plan: EvaluationPlan) -> CaseResult:
    try:
        folder = await plan.repositories.locate(held)
        runs = [await _run_once(held.case, folder, number, plan) for number in range(1, plan.runs + 1)]
        programs = await _run_programs(held.case, folder, plan)
    except StoreError:
        # What cannot be kept would be paid for again: better to stop at once.
        raise
    except AffidavitError as error:
        return CaseResult(case=held.case, failure=str(error))
    return CaseResult(case=held.case, runs=tuple(runs), programs=programs)


async def _run_programs(case: LabelledCase, folder: Path, plan: EvaluationPlan) -> tuple[DeclaredRun, ...]:
    if not case.has_programs:
        return ()
    with await asyncio.to_thread(open_change, _request(case, folder)) as opened, ExitStack() as stack:
        settings = plan.sessions.settings_for(opened.repository.base)
        opening = plan.sessions.programs.open(opened.repository, settings)
        running = await asyncio.to_thread(stack.enter_context, opening)
        return await run_declared(case, running, own_names(opened.repository))


def _request(case: LabelledCase, folder: Path) -> ChangeRequest:
    return ChangeRequest(
        target=f"{case.base}..{case.head}", repo=folder, title=case.title, description=case.description
    )


async def _run_once(case: LabelledCase, folder: Path, number: int, plan: EvaluationPlan) -> CaseRun:
    with await asyncio.to_thread(open_change, _request(case, folder)) as opened:
        async with plan.sessions.open(case.id, number) as session:
            settings = session.settings_for(opened.repository.base)
            report = plan.archive.find(case.id, number, opened.change, settings) if plan.archive else None
            if report is None:
                report = await session.review(opened, settings)
                if plan.archive:
                    plan.archive.keep(case.id, number, report)
            labels = plan.labels.get(report.change.repository or "", {})
            run = await score_review(case, report, number=number, meaning=session.meaning, labels=labels)
            spent = session.spent_on_judging
    judging = {"judge_tokens": tokens_of(spent), "judge_cost_usd": cost_of(spent)}
    return run.model_copy(update=judging)
