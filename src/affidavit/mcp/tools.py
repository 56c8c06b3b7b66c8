"""Answer the tool calls of the MCP server; a bad call gets an answer that says what is wrong."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from affidavit.config.places import cache_folder
from affidavit.contract.schema import CURRENT_SCHEMA_VERSION, schema_of
from affidavit.errors import AffidavitError, InputError
from affidavit.events import Emit
from affidavit.mcp.changes import Changes, KeptChange, WantedChange
from affidavit.mcp.reports import ReportDesk, describe_report
from affidavit.mcp.reviews import BackgroundReview, BackgroundReviews
from affidavit.prompts import current_prompts
from affidavit.records.change import Change
from affidavit.records.diagnostics import Reason
from affidavit.records.report import Reply, Report
from affidavit.reviewing.hold import assemble_crew, patch_trier
from affidavit.reviewing.models import models_of
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.running import opened_runner
from affidavit.reviewing.submitted import Submission, judge_submission
from affidavit.stages.parse import read_replies
from affidavit.stages.review import Crew
from affidavit.tools.arguments import check_arguments, shown
from affidavit.tools.checks import CHECK_DESCRIPTIONS
from affidavit.tools.descriptions import DESCRIPTIONS

MAX_SAID = 1_000
MAX_CHARACTERS = 2_000_000


REQUIRED_WHERE = {
    "failing_input": "Required unless the category is maintainability, style or test: the input that fails",
    "wrong_outcome": "Required unless the category is maintainability, style or test: what happens then",
    "caused_by": "Required with is_impact_finding: what the change altered",
    "searches": "Required with is_absence_finding: each must find nothing",
}


def submission_schema() -> dict[str, Any]:
    """Return the JSON schema of a submission, with the versions that it must name."""
    schema = schema_of(CURRENT_SCHEMA_VERSION)
    versions = {"schema_version": CURRENT_SCHEMA_VERSION, "prompt_version": current_prompts().version}
    for name, version in versions.items():
        schema["properties"][name] = {"type": "string", "enum": [version]}
    evidence = schema["properties"]["findings"]["items"]["properties"]["verification"]["properties"]
    for name, description in REQUIRED_WHERE.items():
        evidence[name] = {**evidence[name], "description": description}
    return schema


def submission_text(result: object) -> str:
    """Return a submission, an object or JSON text, as text."""
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    if len(text) > MAX_CHARACTERS:
        raise InputError(f"the result has more than {MAX_CHARACTERS:,} characters: hand it in in parts")
    return text


async def judge(change: KeptChange, result: object, agent: str, options: ReviewOptions, emit: Emit) -> Report:
    """Check an agent's findings; with a model, verify them."""
    submission = Submission(submission_text(result), agent)
    _refuse_unreadable(submission, change.opened.change)
    cache = None if options.no_cache else cache_folder()
    with opened_runner(change.opened.repository, change.settings, options) as running:
        crew = assemble_crew(change.settings, cache)
        crew = replace(crew, runner=running.runner, programs=running.programs)
        crew = replace(crew, try_patch=patch_trier(change.opened, crew, running))
        if models_of(change.settings, options):
            return await _judge_with_models(change, submission, crew, options, emit)
        return await judge_submission(
            change.opened, change.settings, crew, submission, emit, change.dependencies
        )


def _refuse_unreadable(submission: Submission, change: Change) -> None:
    """Raise if the contract rejects the whole submission."""
    reply = Reply(specialist=submission.name, kind=submission.kind, text=submission.text)
    read = read_replies([reply], change)
    if any(one.state == "rejected" for one in read.replies):
        noted = [note.detail for note in read.diagnostics if note.code is not Reason.RESPONSE_REJECTED]
        raise InputError(
            f"nothing was judged: this is not a review result: {'; '.join(noted)[:MAX_SAID]}. Submit an "
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


Answer = dict[str, Any]
Progress = Callable[[str], Awaitable[None]]
"""Reports the progress of a long call to the client."""
MAX_WAIT_SECONDS = 50
PROGRESS_SECONDS = 2
READING_TOOLS = DESCRIPTIONS | CHECK_DESCRIPTIONS
LONG_ARGUMENTS = ("result", "diff")
LONG_CALLS = ("submit_findings", "get_review")
"""Calls that report progress."""

_TEXT = {"type": "string"}
_CHANGE = {
    "type": "string",
    "description": "Id from open_change; default: the change opened last, or what is not committed yet",
}
_NAMING = {
    "target": {**_TEXT, "description": "A..B, A...B, or one commit; default: what is not committed yet"},
    "diff": {**_TEXT, "description": "Instead of a target: the text of a unified diff"},
    "title": {**_TEXT, "description": "The title of the change"},
    "description": {**_TEXT, "description": "What the change is for"},
}
_REPORT = {**_TEXT, "description": "The id of a report or of a review, or `last`"}
_REVIEW = {**_TEXT, "description": "Id from start_review"}


@dataclass(frozen=True)
class OwnTool:
    """A tool of this server that does not read code."""

    description: str
    properties: Mapping[str, Any]
    required: tuple[str, ...] = ()
    is_read_only: bool = True

    @property
    def schema(self) -> dict[str, Any]:
        """Return the schema of its arguments."""
        return {"type": "object", "properties": dict(self.properties), "required": list(self.required)}


OWN_TOOLS: dict[str, OwnTool] = {
    "open_change": OwnTool(
        "Open a change to read it with the other tools; returns its id and files.", _NAMING
    ),
    "get_map": OwnTool(
        "The map of a change: altered symbols, who depends on them, tests that cover them, history.",
        {"change": _CHANGE},
    ),
    "submit_findings": OwnTool(
        "Hand in what you found. Each finding is held to the contract, its quote and searches are checked"
        " against the commit, and it comes back shown (with its status) or withheld (`withheld` is the"
        " code, `reason` what it means, `because` what was wrong with this one).",
        {"result": submission_schema(), "change": _CHANGE},
        ("result",),
        is_read_only=False,
    ),
    "start_review": OwnTool(
        "Start a whole review in the background; returns its id at once.", _NAMING, is_read_only=False
    ),
    "get_review": OwnTool(
        f"How far a review is and, once it is done, its report; waits up to {MAX_WAIT_SECONDS} seconds.",
        {"review": _REVIEW, "wait_seconds": {"type": "integer", "description": "Default 20"}},
        ("review",),
    ),
    "cancel_review": OwnTool("End a running review.", {"review": _REVIEW}, ("review",), is_read_only=False),
    "recheck": OwnTool(
        "Prove a report again: derived from its inputs, compared whole, every quote and search repeated."
        " `not_holding` lists what fails or cannot be checked here, `on_its_word` what no machine can prove.",
        {"report": _REPORT},
        ("report",),
    ),
    "explain": OwnTool(
        "All that is known of one finding of a report: claim, code, proof, searches, judgements, steps.",
        {"report": _REPORT, "finding": {**_TEXT, "description": "Its id or fingerprint"}},
        ("report", "finding"),
    ),
}


class Desk:
    """The state of one server, and the calls to it."""

    def __init__(
        self, changes: Changes, reviews: BackgroundReviews, reports: ReportDesk, options: ReviewOptions
    ) -> None:
        self.changes = changes
        self.reviews = reviews
        self.reports = reports
        self._options = options
        self._own: dict[str, Callable[..., Awaitable[Answer]]] = {
            "open_change": self._open_change,
            "get_map": self._get_map,
            "submit_findings": self._submit_findings,
            "start_review": self._start_review,
            "get_review": self._get_review,
            "cancel_review": self._cancel_review,
            "recheck": self._recheck,
            "explain": self._explain,
        }

    async def call(self, name: str, arguments: Mapping[str, Any], agent: str, progress: Progress) -> Answer:
        """Answer a call; a bad one with `error`: what is wrong, and what to do instead."""
        try:
            if name not in OWN_TOOLS:
                return await asyncio.to_thread(self._read, name, dict(arguments))
            checked = _checked(name, arguments)
            if name in LONG_CALLS:
                checked["progress"] = progress
            if name == "submit_findings":
                checked["agent"] = agent
            return await self._own[name](**checked)
        except AffidavitError as error:
            return {"error": str(error).encode("utf-8", "backslashreplace").decode()}

    def _read(self, name: str, arguments: dict[str, Any]) -> Answer:
        if name not in READING_TOOLS:
            names = ", ".join([*OWN_TOOLS, *READING_TOOLS])
            raise InputError(f"there is no tool {shown(name)}: use one of {names}")
        change = arguments.pop("change", "")
        if not isinstance(change, str):
            raise InputError("change is the id of a change, a text")
        return self.changes.find(change).tools.call(name, arguments)

    async def _open_change(self, **named: str) -> Answer:
        def opened() -> Answer:
            return self.changes.open(WantedChange(**named)).summary()

        return await asyncio.to_thread(opened)

    async def _get_map(self, change: str = "") -> Answer:
        kept = await asyncio.to_thread(self.changes.find, change)
        return {"change": kept.id, "map": await asyncio.to_thread(kept.map_text)}

    async def _submit_findings(
        self, result: object, agent: str, progress: Progress, change: str = ""
    ) -> Answer:
        kept = await asyncio.to_thread(self.changes.find, change)
        judging = BackgroundReview(lambda emit: judge(kept, result, agent, self._options, emit))
        try:
            while not await judging.wait(PROGRESS_SECONDS):
                await progress(judging.progress)
        finally:
            await judging.cancel()
        proven = judging.report()
        self.reports.keep(proven)
        return describe_report(proven)

    async def _start_review(self, **named: str) -> Answer:
        review = await asyncio.to_thread(self.reviews.start, WantedChange(**named))
        return {**review.describe(), "next": f"ask with get_review, review {review.id}"}

    async def _get_review(self, review: str, progress: Progress, wait_seconds: int = 20) -> Answer:
        found = self.reviews.find(review)
        for _ in range(0, min(wait_seconds, MAX_WAIT_SECONDS), PROGRESS_SECONDS):
            has_ended = await found.wait(PROGRESS_SECONDS)
            await progress(found.progress)
            if has_ended:
                break
        answer = found.describe()
        return {**answer, **describe_report(found.report())} if answer["status"] == "completed" else answer

    async def _cancel_review(self, review: str) -> Answer:
        found = self.reviews.find(review)
        await found.cancel()
        return found.describe()

    async def _recheck(self, report: str) -> Answer:
        return await self.reports.prove_again(report)

    async def _explain(self, report: str, finding: str) -> Answer:
        return await asyncio.to_thread(self.reports.explain, report, finding)


def _checked(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Check the arguments of a tool; a diff and a result may be long, so their readers check them."""
    schema = OWN_TOOLS[name].schema
    long = {key: arguments[key] for key in LONG_ARGUMENTS if arguments.get(key) is not None}
    properties = {key: _TEXT if key in LONG_ARGUMENTS else one for key, one in schema["properties"].items()}
    short = {**arguments, **dict.fromkeys(long, "")}
    checked = check_arguments(name, {**schema, "properties": properties}, short)
    if not isinstance(long.get("diff", ""), str):
        raise InputError("diff must be the text of a unified diff")
    return checked | long


def reading_tools() -> list[dict[str, Any]]:
    """Return the tools that read code, each with the argument `change`."""
    described = []
    for one in READING_TOOLS.values():
        function = deepcopy(one["function"])
        function["parameters"]["properties"]["change"] = _CHANGE
        described.append(function)
    return described
