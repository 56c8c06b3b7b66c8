"""A patch that a model writes now: a finding and the user's model in, the finding with its patch out."""

import asyncio
from collections.abc import Callable
from typing import Any

from affidavit.assembly import assemble_panel
from affidavit.config.places import cache_folder
from affidavit.diff.redacted import as_it_leaves, redact_candidate
from affidavit.errors import InputError, OutsideError, SettingsError
from affidavit.events import ignore_events
from affidavit.minds.roles import minds_from
from affidavit.ports import Case, Mind, Talk
from affidavit.records.candidate import Candidate
from affidavit.records.context import ContextMap
from affidavit.records.finding import Finding
from affidavit.records.plan import Plan
from affidavit.records.report import Answer, Report
from affidavit.records.runs.patch_trial import PatchTrial
from affidavit.reviewing.models import chosen_model, opened_ledger, opened_log
from affidavit.reviewing.options import ReviewOptions
from affidavit.specialists.agents.brief.briefing import Briefing
from affidavit.specialists.agents.patch_writer import WrittenPatch, patch_talk, read_patch
from affidavit.stages.looking.intake import OpenedChange
from affidavit.suggestions.patched import Contents

ATTEMPTS = 2
"""A patch that failed is written once more, by who knows why it failed."""
Try = Callable[[Finding], tuple[PatchTrial, Contents]]


def written_patch(
    report: Report, opened: OpenedChange, candidate: Candidate, options: dict[str, Any], trying: Try
) -> tuple[Finding, PatchTrial, Contents]:
    """The finding with the patch that the model wrote, and what became of it."""
    finding = candidate.finding
    if finding is None or finding.verification is None:
        raise InputError("this finding has no evidence that a patch could be written from")
    mind = _mind(ReviewOptions.among(options))
    failed: tuple[WrittenPatch, PatchTrial] | None = None
    for _ in range(ATTEMPTS):
        written = _written(mind, _talk(report, opened, candidate, failed))
        evidence = finding.verification.model_copy(update={"patch": written.patch})
        patched = finding.model_copy(update={"verification": evidence})
        trial, contents = trying(patched)
        if trial.holds:
            break
        failed = (written, trial)
    return patched, trial, contents


def _mind(options: ReviewOptions) -> Mind:
    choice = chosen_model("specialist", options)
    if choice is None:
        raise SettingsError(
            "this finding has no patch: name a model that writes one with --model PROVIDER:NAME"
        )
    return minds_from({"specialist": choice}, ledger=opened_ledger(options), log=opened_log(options))[
        "specialist"
    ]


def _talk(
    report: Report,
    opened: OpenedChange,
    candidate: Candidate,
    failed: tuple[WrittenPatch, PatchTrial] | None,
) -> Talk:
    panel = assemble_panel({}, cache_folder())
    case = as_it_leaves(Case(opened.change, opened.repository, ignore_events))
    briefing = Briefing(case.change, case.repository, panel.make_fence(case.change), ContextMap())
    asked = redact_candidate(candidate, opened.repository)
    if asked.finding is None:
        raise AssertionError("a finding stays one without its secrets")
    tools = panel.make_tools(case)
    return patch_talk(briefing, report.plan or Plan(), asked, asked.finding, tools, failed)


def _written(mind: Mind, talk: Talk) -> WrittenPatch:
    answer = asyncio.run(_converse(mind, talk))
    written = read_patch(answer.text) if answer.outcome == "answered" else None
    if written is None:
        why = answer.outcome.replace("_", " ") if answer.outcome != "answered" else "its reply has no patch"
        raise OutsideError(f"the model wrote no patch: {why}: {answer.detail}".rstrip(": "))
    if not written.patch:
        raise InputError(f"the model says that no small patch settles it: {written.why[:300]}")
    return written


async def _converse(mind: Mind, talk: Talk) -> Answer:
    return await mind.converse(talk, ignore_events)
