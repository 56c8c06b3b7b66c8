"""Run the product over labelled cases, several at once, and score what it says."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from affidavit import __version__
from affidavit.agents.panel import Panel
from affidavit.config.settings import Settings
from affidavit.diff.rebuild import OpenedChange
from affidavit.errors import AffidavitError, StoreError
from affidavit.events import now_iso
from affidavit.git.repository import GitRepository
from affidavit.lab.cases.folders import CaseFolder, folder_name
from affidavit.lab.cases.repositories import CaseRepositories
from affidavit.lab.evaluation.matching import ByCategory, Meaning, ModelJudge
from affidavit.lab.evaluation.scoring import (
    cost_of,
    score,
    score_by_language,
    score_review,
    tokens_of,
    total_cost,
)
from affidavit.lab.records import (
    CaseResult,
    CaseRun,
    Evaluation,
    LabelledCase,
)
from affidavit.minds.choice import ModelChoice
from affidavit.minds.conversation_log import ConversationLog
from affidavit.minds.ledger import Ledger
from affidavit.minds.roles import kept_open, minds_from
from affidavit.pipeline import review
from affidavit.ports import Mind, Role, Tree
from affidavit.prompts import PromptSet, current_prompts
from affidavit.records.measure import Label
from affidavit.records.report import Report, RoleUsage
from affidavit.reviewing.hold import assemble_crew
from affidavit.stages.intake import ChangeRequest, open_change
from affidavit.stages.review import Running
from affidavit.system.private_files import write_private_file
from affidavit.tools.language_server import ServerPool

OpenRunner = Callable[[GitRepository, Settings], AbstractContextManager[Running]]


@dataclass(frozen=True)
class ProgramGround:
    """How programs are run; by default none are."""

    open: OpenRunner = lambda _repository, _settings: nullcontext(Running())
    environments: tuple[Path, ...] = ()


FindServers = Callable[[Settings, Path | None], ServerPool | None]
"""The language servers to ask under these settings, for the repository in this folder."""
NO_PROGRAMS = ProgramGround()


@dataclass(frozen=True)
class CaseSession:
    """One review of one case, and the judge of its findings."""

    settings_for: Callable[[Tree], Settings]
    cache: Path | None
    minds: Mapping[Role, Mind]
    prompts: PromptSet
    servers_for: FindServers
    judge: ModelJudge | None = None
    probes_verifier: bool = False
    programs: ProgramGround = NO_PROGRAMS

    async def review(self, opened: OpenedChange, settings: Settings) -> Report:
        """Review the case with the real pipeline."""
        with ExitStack() as stack:
            opening = self.programs.open(opened.repository, settings)
            running = await asyncio.to_thread(stack.enter_context, opening)
            crew = assemble_crew(settings, self.cache)
            crew = replace(crew, runner=running.runner, programs=running.programs)
            if self.minds:
                panel = self._panel(settings, opened.repository.folder)
                crew = replace(crew, panel=panel, probes_verifier=self.probes_verifier)
            return await review(opened.change, opened.repository, settings, crew)

    def _panel(self, settings: Settings, folder: Path | None) -> Panel:
        return Panel(
            self.minds,
            self.cache,
            self.prompts,
            analysers_off=settings.analysers_off,
            servers=self.servers_for(settings, folder),
            environments=self.programs.environments,
        )

    @property
    def meaning(self) -> Meaning:
        """Return the judge; without one, a comparison by category."""
        return self.judge or ByCategory()

    @property
    def spent_on_judging(self) -> list[RoleUsage]:
        """Return the cost of comparing meanings."""
        return self.judge.spent if self.judge else []


@dataclass(frozen=True)
class ReviewSessions:
    """Opens a session for each review; each has its own log, and all share the budget."""

    settings_for: Callable[[Tree], Settings]
    cache: Path | None = None
    choices: Mapping[Role, ModelChoice] = field(default_factory=dict)
    judge_choice: ModelChoice | None = None
    prompts: PromptSet = field(default_factory=current_prompts)
    servers_for: FindServers = lambda _settings, _folder: None
    programs: ProgramGround = NO_PROGRAMS
    ledger: Ledger = field(default_factory=Ledger)
    log_for: Callable[[str], ConversationLog] = lambda _case: ConversationLog()

    @property
    def models(self) -> dict[str, str]:
        """Map role to model; empty without models."""
        return {str(role): choice.model for role, choice in self.choices.items()}

    @property
    def judge(self) -> str:
        """Return the model that compares meanings, or nothing."""
        return self.judge_choice.model if self.judge_choice else ""

    @asynccontextmanager
    async def open(self, case_id: str) -> AsyncIterator[CaseSession]:
        """Yield the session of one review; connections to models are kept for its length."""
        log = self.log_for(case_id)
        minds, judge = self._minds(log)
        session = CaseSession(
            settings_for=self.settings_for,
            cache=self.cache,
            minds=minds,
            prompts=self.prompts,
            servers_for=self.servers_for,
            judge=ModelJudge(judge) if judge else None,
            probes_verifier=not log.is_replay,
            programs=self.programs,
        )
        if not minds and judge is None:
            yield session
            return
        async with kept_open([*minds.values(), *([judge] if judge else [])]):
            yield session

    def _minds(self, log: ConversationLog) -> tuple[dict[Role, Mind], Mind | None]:
        if not self.choices and self.judge_choice is None:
            return {}, None
        minds = minds_from(self.choices, ledger=self.ledger, log=log)
        if self.judge_choice is None:
            return minds, None
        # Comparing is judging, so the judge is a verifier of its own.
        return minds, minds_from({"verifier": self.judge_choice}, ledger=self.ledger, log=log)["verifier"]


CaseState = Literal["started", "done", "failed"]
Follow = Callable[[str, CaseState], None]


def follow_nothing(_case_id: str, _state: CaseState) -> None:
    """Ignore progress."""


@dataclass(frozen=True)
class EvaluationPlan:
    """How the cases are run."""

    repositories: CaseRepositories
    sessions: ReviewSessions
    jobs: int = 1
    out: Path | None = None
    """The folder for the reports."""
    labels: Mapping[str, Mapping[str, Label]] = field(default_factory=dict)
    """Labels by repository and fingerprint."""
    follow: Follow = follow_nothing


async def evaluate(cases: Sequence[CaseFolder], plan: EvaluationPlan) -> Evaluation:
    """Review and score every case; one that cannot be reviewed is reported as such."""
    places = asyncio.Semaphore(plan.jobs)

    async def one(held: CaseFolder) -> CaseResult:
        async with places:
            plan.follow(held.case.id, "started")
            result = await _evaluate_case(held, plan)
            plan.follow(held.case.id, "failed" if result.failure else "done")
            return result

    return compile_evaluation(await _all_or_first_error([one(held) for held in cases]), plan)


async def _all_or_first_error(working: Sequence[Coroutine[Any, Any, CaseResult]]) -> list[CaseResult]:
    """Return all results in order; the first error cancels the others."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(each) for each in working]
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


def compile_evaluation(results: Sequence[CaseResult], plan: EvaluationPlan) -> Evaluation:
    """Combine the results of the cases."""
    runs = [result.run for result in results if result.run]
    return Evaluation(
        **score(results).model_dump(),
        affidavit_version=__version__,
        created_at=now_iso(),
        prompt_version=plan.sessions.prompts.version,
        models=plan.sessions.models,
        judge=plan.sessions.judge,
        not_run=sum(bool(result.failure) for result in results),
        incomplete=sum(bool(run.incomplete) for run in runs),
        by_language=score_by_language(results),
        duration_ms=sum(run.duration_ms for run in runs),
        tokens=sum(run.tokens for run in runs),
        cost_usd=total_cost(run.cost_usd for run in runs),
        judge_tokens=sum(run.judge_tokens for run in runs),
        judge_cost_usd=total_cost(run.judge_cost_usd for run in runs),
        results=tuple(results),
    )


async def _evaluate_case(held: CaseFolder, plan: EvaluationPlan) -> CaseResult:
    try:
        folder = await plan.repositories.locate(held)
        run = await _run_once(held.case, folder, plan)
    except StoreError:
        # A result that cannot be stored would have to be paid for again, so stop at once.
        raise
    except AffidavitError as error:
        return CaseResult(case=held.case, failure=str(error))
    return CaseResult(case=held.case, run=run)


def _request(case: LabelledCase, folder: Path) -> ChangeRequest:
    return ChangeRequest(
        target=f"{case.base}..{case.head}", repo=folder, title=case.title, description=case.description
    )


async def _run_once(case: LabelledCase, folder: Path, plan: EvaluationPlan) -> CaseRun:
    with await asyncio.to_thread(open_change, _request(case, folder)) as opened:
        async with plan.sessions.open(case.id) as session:
            settings = session.settings_for(opened.repository.base)
            report = await session.review(opened, settings)
            if plan.out:
                _keep(report, plan.out / folder_name(case.id) / "report.json")
            labels = plan.labels.get(report.change.repository or "", {})
            run = await score_review(case, report, meaning=session.meaning, labels=labels)
            spent = session.spent_on_judging
    judging = {"judge_tokens": tokens_of(spent), "judge_cost_usd": cost_of(spent)}
    return run.model_copy(update=judging)


def _keep(report: Report, place: Path) -> None:
    """Write a report so that only the user can read it: it quotes the reviewed code."""
    try:
        write_private_file(place, report.model_dump_json(indent=1))
    except OSError as error:
        raise StoreError(f"{place} cannot be written: {error.strerror}") from error
