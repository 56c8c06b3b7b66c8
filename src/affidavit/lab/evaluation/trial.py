"""Let the verifier judge planted claims, and compute its rates."""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import Field

from affidavit import __version__
from affidavit.agents.panel import Panel
from affidavit.agents.verifier import probe_verifiers
from affidavit.config.settings import Settings
from affidavit.diff.rebuild import OpenedChange
from affidavit.errors import AffidavitError, OutsideError, StoreError
from affidavit.events import ignore_events, now_iso
from affidavit.lab.cases.claims import CaseClaims
from affidavit.lab.cases.repositories import CaseRepositories
from affidavit.lab.evaluation.run import NO_PROGRAMS, FindServers, Follow, ProgramGround, follow_nothing
from affidavit.lab.evaluation.scoring import cost_of, tokens_of
from affidavit.lab.records import ClaimKind, PlantedClaim, Trap
from affidavit.ports import Mind, Role, Tree
from affidavit.prompts import PromptSet
from affidavit.proof.running.own_names import own_names
from affidavit.proof.running.runners import ProgramRunner
from affidavit.quality.statistics import rate_of
from affidavit.records.candidate import Candidate, Judgement, Scenario, Worth
from affidavit.records.docket import Docket
from affidavit.records.finding import Severity
from affidavit.records.measure import Rate
from affidavit.records.record import Record
from affidavit.records.report import RoleUsage
from affidavit.stages.evidence import check
from affidavit.stages.intake import ChangeRequest, open_change
from affidavit.stages.plan import plan_by_size
from affidavit.stages.reproduce import LiveReproducer, reproduce
from affidavit.stages.review import begin_case
from affidavit.stages.verify import verify
from affidavit.system.concurrency import side_by_side

TRIAL_VERSION = "1.0"
SMALL = (Worth.NIT, Worth.MAYBE)
"""Findings of these worths are not shown in full."""


class JudgedClaim(Record):
    """One planted claim with its known truth and the verifier's judgement."""

    id: str
    case: str
    kind: ClaimKind
    trap: Trap | None = None
    title: str
    file: str
    line: int
    claimed_severity: Severity
    known_worth: tuple[Worth, ...] = ()
    why: str
    """The deciding fact."""
    answer: Literal["CONFIRMED", "REFUTED"] | None = None
    """None: there is no judgement, and `failure` says why."""
    qualified: bool = False
    scenario: Scenario | None = None
    worth: Worth | None = None
    severity: Severity | None = None
    reason: str = ""
    failure: str = ""
    judgements: tuple[Judgement, ...] = ()
    """All judgements; with two verifiers, the last one counts."""

    @property
    def is_judged(self) -> bool:
        """Check whether it was judged: only then it counts in a rate."""
        return self.answer is not None

    @property
    def is_truth_right(self) -> bool:
        """Check that a wrong claim was refuted, or any other confirmed."""
        return self.answer == ("REFUTED" if self.kind is ClaimKind.WRONG else "CONFIRMED")

    @property
    def is_small(self) -> bool:
        """Check whether it was confirmed as a nit or a maybe."""
        return self.answer == "CONFIRMED" and self.worth in SMALL

    @property
    def is_worth_right(self) -> bool:
        """Check that it was confirmed with a worth that the set allows; a wrong claim has none."""
        return self.answer == "CONFIRMED" and self.worth in self.known_worth

    @property
    def is_mistaken(self) -> bool:
        """Check whether the judgement is wrong."""
        return self.is_judged and not (
            self.is_truth_right and (self.kind is ClaimKind.WRONG or self.is_worth_right)
        )


class VerifierTrial(Record):
    """The results of a verifier on planted claims. A rate over nothing is None."""

    trial_version: str = TRIAL_VERSION
    affidavit_version: str
    created_at: str
    models: dict[str, str]
    """Map role to model."""
    prompt_version: str
    prompt_digest: str = ""
    claims: int
    not_judged: int = 0
    refuted: Rate | None = None
    """Of the wrong claims that were judged."""
    refuted_by_trap: dict[Trap, Rate] = Field(default_factory=dict)
    confirmed: Rate | None = None
    """Of the true claims that were judged."""
    called_small: Rate | None = None
    """Of the trivial claims that were judged, those confirmed as nit or maybe."""
    worth_as_known: Rate | None = None
    """Of the true and trivial claims that were confirmed."""
    requests: int = 0
    tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = None
    duration_ms: int = 0
    results: tuple[JudgedClaim, ...] = ()

    @property
    def mistakes(self) -> list[JudgedClaim]:
        """Return the claims that were judged wrongly."""
        return [one for one in self.results if one.is_mistaken]


PLANTED = "planted"
"""The claims are judged as if this specialist had reported them."""


def refuted_rate(claims: Sequence[JudgedClaim]) -> Rate | None:
    """Return how many wrong claims were refuted; claims without a judgement do not count."""
    return _share(_of_kind(claims, ClaimKind.WRONG), lambda one: one.is_truth_right)


def confirmed_rate(claims: Sequence[JudgedClaim]) -> Rate | None:
    """Return how many true claims were confirmed, with any worth."""
    return _share(_of_kind(claims, ClaimKind.TRUE), lambda one: one.is_truth_right)


def small_rate(claims: Sequence[JudgedClaim]) -> Rate | None:
    """Return how many trivial claims a report would not show in full."""
    return _share(_of_kind(claims, ClaimKind.TRIVIAL), lambda one: one.is_small)


def worth_rate(claims: Sequence[JudgedClaim]) -> Rate | None:
    """Return how many confirmed claims have a worth that the set allows."""
    confirmed = [one for one in claims if one.kind is not ClaimKind.WRONG and one.is_truth_right]
    return _share(confirmed, lambda one: one.is_worth_right)


def refuted_by_trap(claims: Sequence[JudgedClaim]) -> dict[Trap, Rate]:
    """Map each trap to how many of its claims were refuted."""
    by_trap = {trap: refuted_rate([one for one in claims if one.trap is trap]) for trap in Trap}
    return {trap: rate for trap, rate in by_trap.items() if rate is not None}


def _of_kind(claims: Iterable[JudgedClaim], kind: ClaimKind) -> list[JudgedClaim]:
    return [one for one in claims if one.kind is kind]


def _share(claims: Iterable[JudgedClaim], is_counted: Callable[[JudgedClaim], bool]) -> Rate | None:
    judged = [one for one in claims if one.is_judged]
    return rate_of(sum(map(is_counted, judged)), len(judged))


@dataclass(frozen=True)
class TrialPlan:
    """The verifiers, and everything they need."""

    minds: Mapping[Role, Mind]
    """The verifier, and a second one where two must confirm."""
    prompts: PromptSet
    repositories: CaseRepositories
    settings_for: Callable[[Tree], Settings]
    cache: Path | None = None
    servers_for: FindServers = lambda _settings, _folder: None
    programs: ProgramGround = NO_PROGRAMS
    jobs: int = 1
    is_probed: bool = True
    """Whether the verifiers are tried before anything else."""
    follow: Follow = follow_nothing

    @property
    def models(self) -> dict[str, str]:
        """Map role to model."""
        return {str(role): mind.model for role, mind in self.minds.items()}


@dataclass(frozen=True)
class _JudgedCase:
    """The judged claims of one case, and their cost."""

    claims: tuple[JudgedClaim, ...]
    usage: tuple[RoleUsage, ...] = ()


async def try_verifier(sets: Sequence[CaseClaims], plan: TrialPlan) -> VerifierTrial:
    """Have every claim judged as in a review, each separately; unjudged ones are reported as such."""
    started = time.monotonic()
    probed = await _probe(plan) if plan.is_probed else ()
    places = asyncio.Semaphore(plan.jobs)

    async def one(held: CaseClaims) -> _JudgedCase:
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
    """Compute the rates and the cost."""
    return VerifierTrial(
        affidavit_version=__version__,
        created_at=now_iso(),
        models=plan.models,
        prompt_version=plan.prompts.version,
        prompt_digest=plan.prompts.digest,
        claims=len(claims),
        not_judged=sum(not one.is_judged for one in claims),
        refuted=refuted_rate(claims),
        refuted_by_trap=refuted_by_trap(claims),
        confirmed=confirmed_rate(claims),
        called_small=small_rate(claims),
        worth_as_known=worth_rate(claims),
        requests=sum(one.requests for one in usage),
        tokens=tokens_of(usage),
        cached_tokens=sum(one.cached_tokens for one in usage),
        cost_usd=cost_of(usage),
        results=tuple(claims),
    )


async def _probe(plan: TrialPlan) -> tuple[RoleUsage, ...]:
    """Probe the verifiers and return the cost; raise OutsideError if one cannot be asked."""
    probed = await probe_verifiers(
        plan.minds.values(), plan.prompts, ignore_events, otherwise="no claim was judged"
    )
    if probed.failures:
        first = probed.failures[0]
        raise OutsideError(f"{first.name}: {first.reason}. {first.advice}", retryable=True)
    return probed.usage


async def _hear(held: CaseClaims, plan: TrialPlan) -> _JudgedCase:
    case = held.ground.case
    try:
        folder = await plan.repositories.locate(held.ground)
        request = ChangeRequest(
            target=f"{case.base}..{case.head}", repo=folder, title=case.title, description=case.description
        )
        with await asyncio.to_thread(open_change, request) as opened:
            docket = await _judge(held.claims, opened, plan)
    except StoreError:
        # An exchange that cannot be recorded would have to be paid for again, so stop at once.
        raise
    except AffidavitError as error:
        return _JudgedCase(tuple(_without_judgement(one, case.id, str(error)) for one in held.claims))
    judged = zip(held.claims, docket.candidates, strict=True)
    return _JudgedCase(tuple(_judged(claim, case.id, candidate) for claim, candidate in judged), docket.usage)


async def _judge(claims: Sequence[PlantedClaim], opened: OpenedChange, plan: TrialPlan) -> Docket:
    """Check and verify the claims like findings, but join none with another.

    The plan is made by size, as in a review whose planner gave no answer; otherwise a planner's reading
    would be measured with the verifier.
    """
    settings = plan.settings_for(opened.repository.base)
    with ExitStack() as stack:
        opening = plan.programs.open(opened.repository, settings)
        running = await asyncio.to_thread(stack.enter_context, opening)
        case = replace(begin_case(opened.change, opened.repository, settings), runner=running.runner)
        panel = _panel(plan, settings, opened.repository.folder)
        briefing = await asyncio.to_thread(panel.brief, case)
        rough = plan_by_size(briefing.change, (), (), briefing.context.symbols)
        docket = Docket(candidates=tuple(_candidate(index, one) for index, one in enumerate(claims)))
        runner = ProgramRunner.of(running.runner) if running.runner else None
        own = own_names(opened.repository)
        live = LiveReproducer(runner, running.programs, own) if running.programs else None
        docket = await reproduce(check(docket, replace(case, plan=rough)), live)
        return await verify(docket, panel.verifiers(briefing, rough), ignore_events)


def _panel(plan: TrialPlan, settings: Settings, folder: Path | None) -> Panel:
    return Panel(
        plan.minds,
        plan.cache,
        plan.prompts,
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
            # As in a review: without a worth, the verifier has not said that it is worth acting on.
            "worth": candidate.worth if said.answer == "CONFIRMED" else said.worth,
            "severity": said.severity,
            "reason": said.reason,
            "failure": failure,
            "judgements": candidate.judgements,
        }
    )
