"""Put together what reviews one case: the same crew and models as `affidavit review`, and the judge."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from affidavit.assembly import Confirming, assemble_crew, assemble_panel
from affidavit.config.settings import Settings
from affidavit.diff.opened import OpenedChange
from affidavit.git.repository import GitRepository
from affidavit.lab.evaluation.matching import ByCategory, Meaning, ModelJudge
from affidavit.lab.records import CaseResult, DeclaredPrograms, DeclaredRun, KnownClaim, LabelledCase
from affidavit.minds.choice import ModelChoice
from affidavit.minds.conversation_log import ConversationLog
from affidavit.minds.ledger import Ledger
from affidavit.minds.roles import kept_open, minds_from
from affidavit.pipeline import review
from affidavit.ports import Mind, Role, Tree
from affidavit.prompts import PromptSet, current_prompts
from affidavit.proof.running.own_names import OwnNames
from affidavit.records.evidence import ReproductionCheck
from affidavit.records.report import Report, RoleUsage
from affidavit.specialists.agents.panel import Panel
from affidavit.stages.proving.reproduce import Running, run_aside

OpenRunner = Callable[[GitRepository, Settings], AbstractContextManager[Running]]


@dataclass(frozen=True)
class ProgramGround:
    """What programs are run in and given; by itself it runs none."""

    open: OpenRunner = lambda _repository, _settings: nullcontext(Running())
    asking: Callable[[PromptSet], PromptSet] = lambda prompts: prompts
    """The prompts that ask models for programs."""
    environments: tuple[Path, ...] = ()

    def prompts_for(self, running: Running, prompts: PromptSet) -> PromptSet:
        """Where no program can be run, none is asked for."""
        return self.asking(prompts) if running.runner else prompts


async def run_declared(case: LabelledCase, running: Running, own: OwnNames) -> tuple[DeclaredRun, ...]:
    """What became of each program; nothing where nobody asked, and the reason where none can be run."""
    if running.programs is None:
        return ()
    runs = []
    for about, claims in (("expected", case.expected), ("known_wrong", case.known_wrong)):
        for number, claim in enumerate(claims):
            if claim.reproduction is not None:
                check = await _checked(claim, running, own)
                declared = {"about": about, "number": number, "declared": claim.outcome, "check": check}
                runs.append(DeclaredRun.model_validate(declared))
    return tuple(runs)


async def _checked(claim: KnownClaim, running: Running, own: OwnNames) -> ReproductionCheck:
    if running.runner is None or claim.reproduction is None:
        reason = running.programs.reason if running.programs else ""
        return ReproductionCheck(outcome="could_not_run", detail=reason)
    return await run_aside(claim.reproduction, running.runner, own)


def count_programs(results: Sequence[CaseResult]) -> DeclaredPrograms | None:
    """The programs of all cases together; None where none was to be run."""
    runs = [run for result in results for run in result.programs]
    if not runs:
        return None
    return DeclaredPrograms(
        declared=len(runs),
        as_declared=sum(run.is_as_declared for run in runs),
        could_not_run=sum(run.check.outcome == "could_not_run" for run in runs),
        outcomes=dict(Counter(run.check.outcome for run in runs)),
    )


FindServers = Callable[[Settings, Path | None], Confirming | None]
"""The language servers to ask under these settings, for the repository in this folder."""
NO_PROGRAMS = ProgramGround()


@dataclass(frozen=True)
class CaseSession:
    """One review of one case, with the one who compares what it found."""

    settings_for: Callable[[Tree], Settings]
    cache: Path | None
    minds: Mapping[Role, Mind]
    prompts: PromptSet
    servers_for: FindServers
    judge: ModelJudge | None = None
    probes_verifier: bool = False
    programs: ProgramGround = NO_PROGRAMS

    async def review(self, opened: OpenedChange, settings: Settings) -> Report:
        """The native report, by the real pipeline."""
        with ExitStack() as stack:
            opening = self.programs.open(opened.repository, settings)
            running = await asyncio.to_thread(stack.enter_context, opening)
            crew = assemble_crew(settings, self.cache)
            crew = replace(crew, runner=running.runner, programs=running.programs)
            if self.minds:
                panel = self._panel(settings, opened.repository.folder, running)
                crew = replace(crew, panel=panel, probes_verifier=self.probes_verifier)
            return await review(opened.change, opened.repository, settings, crew)

    def _panel(self, settings: Settings, folder: Path | None, running: Running) -> Panel:
        return assemble_panel(
            self.minds,
            self.cache,
            self.programs.prompts_for(running, self.prompts),
            analysers_off=settings.analysers_off,
            servers=self.servers_for(settings, folder),
            environments=self.programs.environments,
        )

    @property
    def meaning(self) -> Meaning:
        """The judge; without one, place and category."""
        return self.judge or ByCategory()

    @property
    def spent_on_judging(self) -> list[RoleUsage]:
        """What comparing meanings cost."""
        return self.judge.spent if self.judge else []


@dataclass(frozen=True)
class ReviewSessions:
    """Opens a session for each review; each has its own log, and all share what may be spent."""

    settings_for: Callable[[Tree], Settings]
    cache: Path | None = None
    choices: Mapping[Role, ModelChoice] = field(default_factory=dict)
    judge_choice: ModelChoice | None = None
    prompts: PromptSet = field(default_factory=current_prompts)
    servers_for: FindServers = lambda _settings, _folder: None
    programs: ProgramGround = NO_PROGRAMS
    ledger: Ledger = field(default_factory=Ledger)
    log_for: Callable[[str, int], ConversationLog] = lambda _case, _number: ConversationLog()

    @property
    def models(self) -> dict[str, str]:
        """Role to model; empty where no model looks."""
        return {str(role): choice.model for role, choice in self.choices.items()}

    @property
    def judge(self) -> str:
        """The model that compares meanings, or nothing."""
        return self.judge_choice.model if self.judge_choice else ""

    @asynccontextmanager
    async def open(self, case_id: str, number: int) -> AsyncIterator[CaseSession]:
        """The session of one review; connections to models are kept for its length."""
        log = self.log_for(case_id, number)
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
