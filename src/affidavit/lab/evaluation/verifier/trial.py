"""Let the verifier of a review judge planted claims: sets of claims in, its trial with rates out."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from affidavit import __version__
from affidavit.assembly import assemble_panel
from affidavit.config.settings import Settings
from affidavit.diff.opened import OpenedChange
from affidavit.errors import AffidavitError, OutsideError, StoreError
from affidavit.events import ignore_events, now_iso
from affidavit.lab.cases.claims import CaseClaims
from affidavit.lab.cases.repositories import CaseRepositories
from affidavit.lab.evaluation.outcomes import cost_of, tokens_of
from affidavit.lab.evaluation.programs import ProgramGround
from affidavit.lab.evaluation.run import Follow, follow_nothing
from affidavit.lab.evaluation.sessions import NO_PROGRAMS, FindServers
from affidavit.lab.evaluation.verifier import rates
from affidavit.pipeline import check
from affidavit.ports import Mind, Role, Tree
from affidavit.prompts import PromptSet
from affidavit.proof.running.own_names import own_names
from affidavit.proof.running.watched_runner import WatchedRunner
from affidavit.records.candidate import Candidate
from affidavit.records.docket import Docket
from affidavit.records.lab.planted_claim import PlantedClaim
from affidavit.records.lab.verifier_trial import JudgedClaim, VerifierTrial
from affidavit.records.report import RoleUsage
from affidavit.specialists.agents.panel import Panel
from affidavit.specialists.agents.probe import probe_verifiers
from affidavit.stages.looking.intake import ChangeRequest, open_change
from affidavit.stages.looking.plan import plan_by_size
from affidavit.stages.looking.review import open_case
from affidavit.stages.proving.reproduce import LiveReproducer, Running, reproduce
from affidavit.stages.proving.verify import verify
from affidavit.system.concurrency import side_by_side

PLANTED = "planted"
"""The specialist that the claims pretend to come from."""


@dataclass(frozen=True)
class TrialPlan:
    """Who judges the claims, and with what."""

    minds: Mapping[Role, Mind]
    """The verifier, and a second one where two must confirm."""
    prompts: PromptSet
    repositories: CaseRepositories
    settings_for: Callable[[Tree], Settings]
    votes: int = 1
    cache: Path | None = None
    servers_for: FindServers = lambda _settings, _folder: None
    programs: ProgramGround = NO_PROGRAMS
    jobs: int = 1
    is_probed: bool = True
    """Whether the verifiers are tried before anything else."""
    follow: Follow = follow_nothing

    @property
    def models(self) -> dict[str, str]:
        """Role to model."""
        return {str(role): mind.model for role, mind in self.minds.items()}


@dataclass(frozen=True)
class _Heard:
    """The claims of one case after they were judged, and what that cost."""

    claims: tuple[JudgedClaim, ...]
    usage: tuple[RoleUsage, ...] = ()


async def try_verifier(sets: Sequence[CaseClaims], plan: TrialPlan) -> VerifierTrial:
    """Have every claim judged as in a review, each by itself; what cannot be judged is stated."""
    started = time.monotonic()
    probed = await _probe(plan) if plan.is_probed else ()
    places = asyncio.Semaphore(plan.jobs)

    async def one(held: CaseClaims) -> _Heard:
        async with places:
            plan.follow(held.ground.case.id, "started")
            heard = await _hear(held, plan)
            is_whole = all(claim.is_judged for claim in heard.claims)
            plan.follow(held.ground.case.id, "done" if is_whole else "failed")
            return heard

    heard = await side_by_side(one(held) for held in sets)
    usage = [*probed, *(spent for each in heard for spent in each.usage)]
    trial = compile_trial([claim for each in heard for claim in each.claims], usage, plan)
    return trial.model_copy(update={"duration_ms": round((time.monotonic() - started) * 1000)})


def compile_trial(
    claims: Sequence[JudgedClaim], usage: Sequence[RoleUsage], plan: TrialPlan
) -> VerifierTrial:
    """The rates and the bill of what was judged."""
    return VerifierTrial(
        affidavit_version=__version__,
        created_at=now_iso(),
        models=plan.models,
        votes=plan.votes,
        prompt_version=plan.prompts.version,
        prompt_digest=plan.prompts.digest,
        claims=len(claims),
        not_judged=sum(not one.is_judged for one in claims),
        refuted=rates.refuted_rate(claims),
        refuted_by_trap=rates.refuted_by_trap(claims),
        confirmed=rates.confirmed_rate(claims),
        called_small=rates.small_rate(claims),
        worth_as_known=rates.worth_rate(claims),
        requests=sum(one.requests for one in usage),
        tokens=tokens_of(usage),
        cached_tokens=sum(one.cached_tokens for one in usage),
        cost_usd=cost_of(usage),
        results=tuple(claims),
    )


async def _probe(plan: TrialPlan) -> tuple[RoleUsage, ...]:
    """What trying the verifiers cost; raises OutsideError where one cannot be asked at all."""
    probed = await probe_verifiers(
        plan.minds.values(), plan.prompts, ignore_events, otherwise="no claim was judged"
    )
    if probed.failures:
        first = probed.failures[0]
        raise OutsideError(f"{first.name}: {first.reason}. {first.advice}", retryable=True)
    return probed.usage


async def _hear(held: CaseClaims, plan: TrialPlan) -> _Heard:
    case = held.ground.case
    try:
        folder = await plan.repositories.locate(held.ground)
        request = ChangeRequest(
            target=f"{case.base}..{case.head}", repo=folder, title=case.title, description=case.description
        )
        with await asyncio.to_thread(open_change, request) as opened:
            docket = await _judge(held.claims, opened, plan)
    except StoreError:
        # What cannot be recorded would be paid for again: better to stop at once.
        raise
    except AffidavitError as error:
        return _Heard(tuple(_without_judgement(one, case.id, str(error)) for one in held.claims))
    judged = zip(held.claims, docket.candidates, strict=True)
    return _Heard(tuple(_judged(claim, case.id, candidate) for claim, candidate in judged), docket.usage)


async def _judge(claims: Sequence[PlantedClaim], opened: OpenedChange, plan: TrialPlan) -> Docket:
    """The claims on the way of any finding: proof checked, then cross-examined; none is joined with another.

    The plan is the one by size, which holds in a review whose planner gave no answer: a planner's reading
    would be measured with the verifier.
    """
    settings = plan.settings_for(opened.repository.base)
    with ExitStack() as stack:
        opening = plan.programs.open(opened.repository, settings)
        running = await asyncio.to_thread(stack.enter_context, opening)
        case = replace(open_case(opened.change, opened.repository, settings), runner=running.runner)
        panel = _panel(plan, settings, opened.repository.folder, running)
        session = await asyncio.to_thread(panel.convene, case)
        rough = plan_by_size(session.case.change, (), (), session.briefing.context.symbols)
        docket = Docket(candidates=tuple(_candidate(index, one) for index, one in enumerate(claims)))
        runner = WatchedRunner.of(running.runner, ignore_events)
        own = own_names(opened.repository)
        live = LiveReproducer(runner, running.programs, own) if running.programs else None
        docket = await reproduce(check(docket, replace(case, plan=rough)), live)
        return await verify(docket, session.verifiers(rough, plan.votes), ignore_events)


def _panel(plan: TrialPlan, settings: Settings, folder: Path | None, running: Running) -> Panel:
    return assemble_panel(
        plan.minds,
        plan.cache,
        plan.programs.prompts_for(running, plan.prompts),
        analysers_off=settings.analysers_off,
        servers=plan.servers_for(settings, folder),
        environments=plan.programs.environments,
    )


def _candidate(index: int, claim: PlantedClaim) -> Candidate:
    return Candidate(
        id=f"{PLANTED}-{index}", specialist=PLANTED, kind="model", index=index, finding=claim.finding
    )


def _without_judgement(claim: PlantedClaim, case_id: str, failure: str = "") -> JudgedClaim:
    finding = claim.finding
    return JudgedClaim(
        id=claim.id,
        case=case_id,
        kind=claim.kind,
        trap=claim.trap,
        title=finding.title,
        file=finding.file,
        line=finding.line,
        claimed_severity=finding.severity,
        known_worth=claim.worth,
        why=claim.why,
        failure=failure,
    )


def _judged(claim: PlantedClaim, case_id: str, candidate: Candidate) -> JudgedClaim:
    known = _without_judgement(claim, case_id)
    if not candidate.judgements:
        held = candidate.withheld
        reason = f"{held.code}: {held.detail}".rstrip(": ") if held else "it was not judged"
        return known.model_copy(update={"failure": f"withheld before it was judged: {reason}"})
    said = candidate.judgements[-1]
    failure = "" if said.answer else said.reason or said.outcome.replace("_", " ")
    return known.model_copy(
        update={
            "answer": said.answer,
            "qualified": said.qualified,
            "scenario": said.scenario,
            # As in a review: a verifier that leaves the worth out has not said that it is worth acting on.
            "worth": candidate.worth if said.answer == "CONFIRMED" else said.worth,
            "severity": said.severity,
            "reason": said.reason,
            "failure": failure,
            "judgements": candidate.judgements,
        }
    )
