"""Run the programs that a case declares: a change and its claims in, what each program came to out."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from affidavit.config.settings import Settings
from affidavit.git.repository import GitRepository
from affidavit.prompts import PromptSet
from affidavit.proof.running.own_names import OwnNames
from affidavit.records.evidence import ReproductionCheck
from affidavit.records.lab.evaluation import Case, CaseResult, DeclaredPrograms, DeclaredRun, KnownClaim
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


async def run_declared(case: Case, running: Running, own: OwnNames) -> tuple[DeclaredRun, ...]:
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
