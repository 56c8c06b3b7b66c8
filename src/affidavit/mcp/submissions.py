"""Findings that an agent hands in over the protocol: a review result in, its proven report out."""

import json
from dataclasses import replace
from typing import Any

from affidavit.config.places import cache_folder
from affidavit.contract.schema import CURRENT_SCHEMA_VERSION, schema_of
from affidavit.errors import InputError
from affidavit.events import Emit
from affidavit.mcp.changes import KeptChange
from affidavit.prompts import current_prompts
from affidavit.records.change import Change
from affidavit.records.diagnostics import Reason
from affidavit.records.report import Reply, Report
from affidavit.reviewing.hold import assemble_crew
from affidavit.reviewing.models import models_of
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.submitted import Submission, judge_submission
from affidavit.stages.looking.parse import read_replies
from affidavit.stages.looking.review import Crew

MAX_SAID = 1_000
MAX_CHARACTERS = 2_000_000


REQUIRED_WHERE = {
    "failing_input": "Required unless the category is maintainability, style or test: the input that fails",
    "wrong_outcome": "Required unless the category is maintainability, style or test: what happens then",
    "caused_by": "Required with is_impact_finding: what the change altered",
    "searches": "Required with is_absence_finding: each must find nothing",
}


def submission_schema() -> dict[str, Any]:
    """Return the whole contract, conditions included, with the versions that a submission must name."""
    schema = schema_of(CURRENT_SCHEMA_VERSION)
    versions = {"schema_version": CURRENT_SCHEMA_VERSION, "prompt_version": current_prompts().version}
    for name, version in versions.items():
        schema["properties"][name] = {"type": "string", "enum": [version]}
    evidence = schema["properties"]["findings"]["items"]["properties"]["verification"]["properties"]
    for name, description in REQUIRED_WHERE.items():
        evidence[name] = {**evidence[name], "description": description}
    return schema


def submission_text(result: object) -> str:
    """What was handed in as the text that the contract reads: an object, or the same as JSON."""
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    if len(text) > MAX_CHARACTERS:
        raise InputError(f"the result has more than {MAX_CHARACTERS:,} characters: hand it in in parts")
    return text


async def judge(change: KeptChange, result: object, agent: str, options: ReviewOptions, emit: Emit) -> Report:
    """Prove and, where a model is configured, judge what an agent found in a change."""
    submission = Submission(submission_text(result), agent)
    _refuse_unreadable(submission, change.opened.change)
    cache = None if options.no_cache else cache_folder()
    crew = assemble_crew(change.settings, cache)
    if not models_of(change.settings, options):
        return await judge_submission(
            change.opened, change.settings, crew, submission, emit, change.dependencies
        )
    return await _judge_with_models(change, submission, crew, options, emit)


def _refuse_unreadable(submission: Submission, change: Change) -> None:
    """Raise where the contract reads nothing at all: then nothing of it could be proven or withheld."""
    reply = Reply(specialist=submission.name, kind=submission.kind, text=submission.text)
    read = read_replies([reply], change)
    if any(one.state == "rejected" for one in read.replies):
        noted = [note.detail for note in read.diagnostics if note.code is not Reason.RESPONSE_REJECTED]
        raise InputError(
            f"nothing was judged, since this is no review result: {'; '.join(noted)[:MAX_SAID]}. Hand in an "
            f'object with "schema_version": "{CURRENT_SCHEMA_VERSION}", "prompt_version": '
            f'"{current_prompts().version}" and "findings", a list (empty, if there is nothing to say)'
        )


async def _judge_with_models(
    change: KeptChange, submission: Submission, crew: Crew, options: ReviewOptions, emit: Emit
) -> Report:
    from affidavit.reviewing.panel import chosen_panel, connected  # noqa: PLC0415 - only models need it

    cache = None if options.no_cache else cache_folder()
    panel = chosen_panel(change.opened, change.settings, options, cache, current_prompts())
    judging = judge_submission(change.opened, change.settings, replace(crew, panel=panel), submission, emit)
    return await connected(panel, judging)
