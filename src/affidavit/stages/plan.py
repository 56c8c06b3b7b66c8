"""Plan a review: the goal of the change, who examines what, in which chunks."""

import asyncio
from collections.abc import Collection, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from affidavit.agents.briefing import Briefing
from affidavit.agents.chunks import (
    PartsOfFiles,
    definition_starts,
    divide,
    shown_line_count,
)
from affidavit.agents.model_agents import LENSES, MORE_EFFORT, asked_at_any_size
from affidavit.agents.panel import Panel
from affidavit.agents.verifier import Probed, probe_verifiers
from affidavit.contract.reply_text import object_with_key
from affidavit.contract.schema import strict_object
from affidavit.events import Emit, handoff
from affidavit.iterations.scope import parts_to_show
from affidavit.ports import Case, Mind, Talk
from affidavit.records.change import Change
from affidavit.records.context import SymbolChange
from affidavit.records.docket import Docket
from affidavit.records.plan import Plan
from affidavit.records.report import Answer, Gap, RoleUsage

WITHOUT_VERIFIER = Gap(
    name="model specialists",
    reason="they were not asked, because no verifier can judge their findings",
    advice="The mechanical specialists reviewed alone.",
)
FEW_LINES, SMALL_LINES = 3, 12
PLAN_SCHEMA_NAME = "review_plan"
MAX_QUESTIONS = 6


@dataclass(frozen=True)
class Planned:
    """The plan, its cost, and what went wrong."""

    plan: Plan
    usage: tuple[RoleUsage, ...] = ()
    incomplete: tuple[Gap, ...] = ()
    answer: Answer | None = None
    """None if the planner was not waited for."""


@dataclass(frozen=True)
class Opening:
    """The plan, and the result of probing the verifiers."""

    planned: Planned
    probed: Probed

    @property
    def plan(self) -> Plan | None:
        """Return the plan; None if a verifier cannot be asked: then no specialist is."""
        return None if self.probed.failures else self.planned.plan

    @property
    def docket(self) -> Docket:
        """Return the docket before any specialist has replied."""
        failures = self.probed.failures
        return Docket(
            incomplete=failures or self.planned.incomplete,
            not_run=(WITHOUT_VERIFIER,) if failures else (),
            usage=(*self.probed.usage, *self.planned.usage),
        )


async def plan_review(panel: Panel, briefing: Briefing, case: Case, *, probes_verifier: bool) -> Opening:
    """Plan while the verifiers are probed, so that a failing one is found before specialists cost money."""
    change = briefing.change
    always = asked_at_any_size(change, briefing.case.languages, panel.effort)
    to_show = parts_to_show(case, change)
    rough = plan_by_size(change, LENSES, always, briefing.context.symbols, to_show)
    talk = panel.planner_talk(briefing, rough, plan_schema_of(rough, always), PLAN_SCHEMA_NAME)
    has_work = bool(rough.chunks or rough.not_shown or always) or to_show is None
    planning = make_plan(panel.minds["planner"], talk, rough, LENSES, case.emit) if has_work else _unplanned()
    probing = probe_verifiers(panel.judging if probes_verifier else (), panel.prompts, case.emit)
    opening = await _plan_while_probing(planning, probing)
    parts = opening.plan.chunks if opening.plan else case.change.reviewed_files()
    case.emit(handoff("planner", "reviewer", chunks_count=len(parts)))
    return opening


def plan_schema_of(rough: Plan, always: Sequence[str]) -> dict[str, Any]:
    """Return the schema of a plan: the size of the change fixes all lenses, or how many take part."""
    chosen = sum(lens in rough.questions for lens in LENSES)
    if chosen == len(LENSES):
        return plan_schema([*LENSES, *always], (*LENSES, *always))
    return plan_schema([*LENSES, *always], always, f"{chosen} of {', '.join(LENSES)} examine this change")


async def _plan_while_probing(
    planning: Coroutine[Any, Any, Planned], probing: Coroutine[Any, Any, Probed]
) -> Opening:
    """Do both at once; do not wait for the plan if a verifier cannot be asked."""
    planner = asyncio.create_task(planning)
    try:
        probed = await probing
        if probed.failures and not planner.done():
            return Opening(Planned(Plan()), probed)
        return Opening(await planner, probed)
    finally:
        # A task that is already ending must not be cancelled again while it cleans up.
        if not planner.cancelling():
            planner.cancel()
        await asyncio.gather(planner, return_exceptions=True)


def plan_schema(lenses: Sequence[str], fixed: Collection[str] = (), choice: str = "") -> dict[str, Any]:
    """Return the schema of the planner's answer; it requires the specialists that always run."""
    text = {"type": "string"}
    texts = {"type": "array", "items": text, "maxItems": MAX_QUESTIONS}
    said = {"description": choice} if choice else {}
    questions = strict_object(dict.fromkeys(lenses, texts), list(fixed), **said)
    return strict_object({"goal": text, "approach": text, "impact": text, "questions": questions})


async def _unplanned() -> Planned:
    """Plan nothing, because nothing is new."""
    return Planned(Plan())


async def make_plan(mind: Mind, talk: Talk, rough: Plan, lenses: Sequence[str], emit: Emit) -> Planned:
    """Ask the planner; without an answer the rough plan is used, and a gap says so."""
    return read_plan(await mind.converse(talk, emit), rough, lenses)


def read_plan(answer: Answer, rough: Plan, lenses: Sequence[str]) -> Planned:
    """Read the plan from a planner's answer."""
    read = object_with_key(answer.text, "goal")
    if read is None or not _text(read.get("goal")):
        reason = "its reply has no plan that can be read" if answer.outcome == "answered" else answer.failure
        failed = Gap(name="planner", reason=reason, advice="the specialists were chosen by size")
        return Planned(rough, (answer.usage,), (failed, *_left_out(rough)), answer)
    given = read.get("questions")
    asked: dict[str, Any] = given if isinstance(given, dict) else {}
    questions = {lens: _texts(asked.get(lens)) for lens in [*lenses, *rough.questions] if lens in asked}
    plan = rough.model_copy(
        update={
            "goal": _text(read.get("goal")),
            "approach": _text(read.get("approach")),
            "impact": _text(read.get("impact")),
            "questions": _bounded({**dict.fromkeys(lenses[:1], ()), **questions}, rough, lenses),
            "made_by": "model",
        }
    )
    cut = (Gap(name="planner", reason=answer.detail, advice=MORE_EFFORT),) if answer.detail else ()
    return Planned(plan, (answer.usage,), (*cut, *_left_out(rough)), answer)


def _left_out(plan: Plan) -> tuple[Gap, ...]:
    """Return a gap if there is something that no model is shown."""
    if not plan.not_shown:
        return ()
    more = f", and {len(plan.not_shown) - 1} more places" if len(plan.not_shown) > 1 else ""
    advice = "Review the change in smaller parts, or leave generated files out with --exclude."
    return (Gap(name="models", reason=f"not shown to them: {plan.not_shown[0]}{more}", advice=advice),)


def _bounded(
    questions: dict[str, tuple[str, ...]], rough: Plan, lenses: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Choose as many specialists as the size asks for: the planner chooses which, not how many.

    The text of a change may persuade a planner to leave specialists out, so it cannot leave any out.
    """
    always = [lens for lens in rough.questions if lens not in lenses]
    asked_for = len(rough.questions) - len(always)
    chosen = [lens for lens in lenses if lens in questions]
    others = [lens for lens in lenses if lens not in questions]
    looking = [*chosen, *others][:asked_for]
    return {lens: questions.get(lens, ()) for lens in [*sorted(looking, key=lenses.index), *always]}


def plan_by_size(
    change: Change,
    lenses: Sequence[str],
    always: Sequence[str] = (),
    symbols: Sequence[SymbolChange] = (),
    parts: PartsOfFiles | None = None,
) -> Plan:
    """Choose specialists by the size of the change alone, and divide it into chunks.

    `always` are asked at any size. A long file is divided at `symbols`. `parts` limits what is shown.
    """
    files = [file for file in change.reviewed_files() if parts is None or file.path in parts]
    division = divide(files, definition_starts(symbols), parts=parts)
    lines = shown_line_count(change, division.chunks)
    most = 1 if lines <= FEW_LINES else 2 if lines <= SMALL_LINES else len(lenses)
    return Plan(
        questions=dict.fromkeys([*lenses[:most], *always], ()),
        chunks=division.chunks,
        not_shown=division.not_shown,
    )


def _text(value: Any) -> str:
    return value.strip()[:4_000] if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(text for item in value if (text := _text(item)))[:MAX_QUESTIONS]
