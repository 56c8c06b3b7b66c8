"""Review a change: look, check, judge, report. Read this file first.

Code that few reviews need is imported on use, so that the others start faster.
"""
# ruff: noqa: PLC0415

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from affidavit.analysers.rulebook import rules_off
from affidavit.config.baseline import dismissals_of
from affidavit.config.settings import Settings
from affidavit.events import Emit, handoff, ignore_events, pipeline_completed
from affidavit.ports import Case, Joiner, Repository, Reproducer, Specialist, Verifiers
from affidavit.prompts import PromptSet
from affidavit.records.change import Change
from affidavit.records.docket import Docket
from affidavit.records.iteration import Earlier
from affidavit.records.report import BehaviourRow, Reply, Report
from affidavit.stages.parse import docket_of, keep_inputs, read_replies, redacted_reply
from affidavit.stages.report import compile_report
from affidavit.stages.review import (
    Crew,
    Looked,
    begin_case,
    collect_replies,
    docket_without_models,
    not_independent,
)
from affidavit.system.concurrency import both

if TYPE_CHECKING:
    from affidavit.agents.briefing import Briefing
    from affidavit.agents.panel import Panel
    from affidavit.stages.plan import Opening


async def review(
    change: Change,
    repository: Repository,
    settings: Settings,
    crew: Crew,
    emit: Emit = ignore_events,
    earlier: Earlier | None = None,
    *,
    review_id: str = "",
    began: float | None = None,
) -> Report:
    """Review an opened change; `earlier` is the review before it, `began` is in seconds since the epoch."""
    began = time.time() if began is None else began
    runner = crew.watched_runner(emit)
    case = begin_case(change, repository, settings, emit, review_id)
    case, programs = replace(case, runner=runner, earlier=earlier), crew.programs
    if runner and programs and crew.panel:
        from affidavit.stages.preflight import find_what_runs

        case = await find_what_runs(case)
        programs = programs.model_copy(update={"languages": case.languages})
    case = crew.with_packages(case)
    if earlier and crew.models:
        from affidavit.iterations.scope import choose_scope

        given = settings.model_dump(mode="json")
        case = replace(case, scope=choose_scope(case, given, crew.models, crew.prompts.version))
    looked = await look(case, crew)
    reproducer = None
    if programs:
        from affidavit.stages.reproduce import LiveReproducer

        reproducer = LiveReproducer.of(runner, programs, case, crew.try_patch)
    judges, who = crew.judges(looked), crew.models
    report = await conclude(
        looked, *judges, settings, who, crew.prompts, reproducer, specialists=crew.specialists
    )
    if crew.panel and looked.briefing:
        from affidavit.stages.narrate import narrate

        report = await narrate(report, crew.panel, looked.briefing, emit)
    report = report.model_copy(update={"duration_ms": round((time.time() - began) * 1000)})
    emit(pipeline_completed(report))
    return report


async def look(case: Case, crew: Crew) -> Looked:
    """Ask the analysers, and the models if there are any and their verifier answers."""
    if crew.panel is not None:
        return await _look_with_models(case, crew, crew.panel)
    case.emit(handoff("planner", "reviewer", chunks_count=len(case.change.reviewed_files())))
    replies = await collect_replies(crew.specialists, case)
    docket = docket_of(read_replies(replies, case.change), replies, docket_without_models(case.change))
    return Looked(replace(case, replies=tuple(replies)), docket)


async def _look_with_models(case: Case, crew: Crew, panel: "Panel") -> Looked:
    """Plan while the analysers run, show the models what these found, and ask once more about the rest."""
    asking = collect_replies(crew.specialists, case)
    replies, (briefing, opening) = await both(asking, _plan(case, crew, panel))
    read = read_replies(replies, case.change)
    if opening.plan is not None:
        briefing = briefing.with_leads(read.findings)
        first = await _ask(panel.agents(briefing, opening.plan), case)
        read = read.plus(read_replies(first, case.change))
        second = await _ask(panel.second_look(briefing, opening.plan, read.findings, read.replies), case)
        read = read.plus(read_replies(second, case.change))
        replies = [*replies, *first, *second]
    return Looked(
        replace(case, plan=opening.plan, replies=tuple(replies)),
        docket_of(read, replies, opening.docket),
        briefing if opening.plan else None,
        opening.planned.answer,
        opening.probed.failures,
    )


async def _plan(case: Case, crew: Crew, panel: "Panel") -> "tuple[Briefing, Opening]":
    from affidavit.stages.plan import plan_review

    briefing = panel.brief(case)
    return briefing, await plan_review(panel, briefing, case, probes_verifier=crew.probes_verifier)


async def _ask(agents: Sequence[Specialist], case: Case) -> list[Reply]:
    return [redacted_reply(one) for one in await collect_replies(agents, case)]


async def conclude(
    looked: Looked,
    joiner: Joiner | None,
    verifiers: Verifiers | None,
    settings: Settings,
    models: Mapping[str, str],
    prompts: PromptSet,
    reproducer: Reproducer | None = None,
    *,
    specialists: Sequence[Specialist] = (),
) -> Report:
    """Check, judge and report all replies: a function of its inputs, which the report keeps.

    `specialists` try their own fixes of a request's findings: forges offer them as suggestions.
    """
    case = replace(looked.case, is_rule_off=rules_off(settings))
    looked = replace(
        looked,
        docket=looked.docket.plus(Docket(not_run=not_independent(models, looked.submitted_by))),
    )
    docket, grouping, follow_up = looked.docket, None, None
    if docket.candidates or case.earlier or reproducer:
        from affidavit.judging import judge, try_fixes

        blocking = {linter.name for linter in settings.linters if linter.blocks}
        docket, grouping, follow_up = await judge(looked, case, joiner, verifiers, reproducer, blocking)
        if case.change.request and not reproducer:
            docket = await try_fixes(docket, case, specialists)
    else:
        case.emit(handoff("reviewer", "verifier", findings_count=0))
        case.emit(handoff("verifier", "reporter", verified_count=0))
    names = {name for one in docket.candidates for name in (one.fingerprint, *one.carries)}
    dismissals = dismissals_of(case.repository.excusing, names, case.change.dismissals)
    report = compile_report(docket, case, settings, dismissals, models, prompts)
    ground = reproducer.ground if reproducer else None
    given = looked.planner, grouping, looked.verifier_failures, ground, looked.submitted_by
    inputs, behaviour = keep_inputs(docket, case, *given), _behaviour(case, report)
    return report.model_copy(
        update={"inputs": inputs, "behaviour": behaviour, "follow_up": follow_up and follow_up(report)}
    )


def _behaviour(case: Case, report: Report) -> tuple[BehaviourRow, ...]:
    if not any(reply.probes for reply in case.replies):
        return ()
    from affidavit.stages.reproduce import compare_behaviour

    return compare_behaviour(case, report)
