"""What is asked about a review in a cell, beside the review itself: recheck, a question, an estimate."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from affidavit.assembly import assemble_crew, assemble_panel
from affidavit.config.places import cache_folder
from affidavit.config.settings import Settings
from affidavit.diff.opened import OpenedChange
from affidavit.diff.redacted import as_it_leaves, redact_candidate
from affidavit.errors import InputError, OutsideError
from affidavit.events import ignore_events
from affidavit.forecast.table import describe_cost, estimates_of
from affidavit.forecast.talks import prepare_talks
from affidavit.minds.choice import ModelChoice
from affidavit.ports import Case, Mind, Role, Specialist
from affidavit.prompts import PromptSet
from affidavit.recheck.check import recheck, recheck_finding
from affidavit.records.candidate import Candidate
from affidavit.records.context import ContextMap
from affidavit.records.iteration import Earlier
from affidavit.records.plan import Plan
from affidavit.records.report import Report
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.running import opened_runner
from affidavit.specialists.agents.brief.briefing import Briefing
from affidavit.specialists.agents.question import question_talk, read_answer
from affidavit.stages.looking.intake import rebuild_change


async def recheck_report(report: Report, folder: Path | None, finding: str | None) -> dict[str, Any]:
    """Derive the report again from its inputs, and compare; or prove one finding of it again."""
    with rebuild_change(report.change, folder) as opened:
        if finding is None:
            done = await recheck(report, opened, _mechanical)
            proofs, words = done.proofs, done.words
        else:
            proofs, words = await recheck_finding(report, opened, _mechanical, finding), ()
    outcomes = [proof.holds for proof in proofs]
    return {
        "holds": False if False in outcomes else None if None in outcomes else True,
        "proofs": [proof.model_dump(mode="json") for proof in proofs],
        "on_its_word": list(words),
        "notices": list(opened.notices),
    }


def _mechanical(settings: Settings) -> Sequence[Specialist]:
    return assemble_crew(settings, cache_dir=None).specialists


async def ask_about(
    report: Report, folder: Path | None, finding: str, question: str, mind: Mind
) -> dict[str, Any]:
    """The answer of a model that reads the finding's evidence and, read-only, the repository."""
    candidate = next((one for one in report.candidates if one.id == finding and one.finding), None)
    if candidate is None:
        raise InputError(f"the report has no finding {finding}")
    with rebuild_change(report.change, folder) as opened:
        talk = _talk(report, opened, candidate, question)
        answer = await mind.converse(talk, ignore_events)
    text = read_answer(answer.text) if answer.outcome == "answered" else None
    if text is None:
        why = "its reply has no answer" if answer.outcome == "answered" else answer.outcome.replace("_", " ")
        raise OutsideError(f"the model did not answer: {why}: {answer.detail}".rstrip(": "), retryable=True)
    return {"answer": text, "model": mind.model, "cost_usd": answer.usage.cost_usd}


def _talk(report: Report, opened: OpenedChange, candidate: Candidate, question: str) -> Any:
    panel = assemble_panel({}, cache_folder())
    case = as_it_leaves(Case(opened.change, opened.repository, ignore_events))
    # The map of the change is not sent, so it is not made.
    briefing = Briefing(case.change, case.repository, panel.make_fence(case.change), ContextMap())
    asked = redact_candidate(candidate, opened.repository)
    if asked.finding is None:
        raise AssertionError("only candidates with a finding are asked about")
    return question_talk(
        briefing, report.plan or Plan(), asked, asked.finding, question, panel.make_tools(case)
    )


def estimate(
    opened: OpenedChange,
    settings: Settings,
    choices: Mapping[Role, ModelChoice],
    prompts: PromptSet,
    options: ReviewOptions,
    earlier: Earlier | None,
) -> dict[str, Any]:
    """What a review would cost; no model is asked. Not for a thread with an event loop."""
    with opened_runner(opened.repository, settings, options) as running:
        talks = prepare_talks(
            opened,
            settings,
            choices,
            cache_folder(),
            prompts.asking_for_all() if running.runner else prompts,
            reads_dependencies=options.dependencies,
            runner=running.runner,
            earlier=earlier,
        )
    votes = settings.verifier_votes or 1
    roles = estimates_of(talks, choices, votes)
    return {"roles": [asdict(one) for one in roles], "text": describe_cost(talks, choices, votes)}
