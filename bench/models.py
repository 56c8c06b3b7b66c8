"""Reviews with models, asked of a scripted server: their time, and the tokens that they send."""

import asyncio
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

from affidavit.agents.briefing import diff_of
from affidavit.agents.model_agents import LENSES
from affidavit.agents.panel import Panel
from affidavit.config.settings import Settings
from affidavit.contract.versions import CURRENT_PROMPT_VERSION
from affidavit.events import Emit, ignore_events
from affidavit.iterations.scope import earlier_of
from affidavit.minds.choice import CallLimits, choose_model
from affidavit.minds.ledger import Ledger
from affidavit.minds.mind import PydanticMind
from affidavit.minds.prices import estimate_tokens
from affidavit.minds.roles import minds_from
from affidavit.pipeline import review
from affidavit.ports import Case, Role, Talk
from affidavit.records.candidate import Candidate
from affidavit.records.finding import Category, Finding, Severity
from affidavit.records.iteration import Earlier
from affidavit.records.report import Answer, Report
from affidavit.records.settings_entries import Effort
from affidavit.render.formats import render
from affidavit.reviewing.hold import assemble_crew
from affidavit.stages.intake import ChangeRequest, OpenedChange, open_change
from affidavit.stages.plan import plan_by_size
from bench.measure import Row, Scale
from bench.repositories import commit, run
from bench.slow_model import SlowModel, names_of_tools, serving, tool_call

TURNS = 3
TALKS = 8
CHAIN = ("plan", "read", "look", "read again", "second look", "read to verify", "verify", "words")
"""The calls that must wait for each other."""
TIME_BOUND = 1.15
VERIFIER_BOUND = 1 / 5
ITERATION_BOUND = 1 / 5
REVIEW_BOUND = 40
"""The tokens of a review, as a multiple of those of its diff."""
FUNCTIONS = 25
"""Of each changed file."""
TASKS = ("# Your task: logic", "fit with the rest", "# Your task: security", "reliability, performance")
PLAN = {
    "goal": "This change is trying to add",
    "approach": "a",
    "impact": "i",
    "questions": {lens: [] for lens in LENSES},
}
JUDGED = {"judgment": "CONFIRMED", "qualified": False, "worth": "act", "reason": "a"}
WORDS = {"summary": "It adds.", "positive_notes": [], "recommendations": []}
CLAIM = {"id": "1", "severity": "high", "category": "correctness", "message": "m", "line": 8}
PROOF = {
    "code_examined": "    return total",
    "line_range_examined": [1, 8],
    "verification_method": "read",
    "checked_for_handling_elsewhere": True,
    "failing_input": "1",
    "wrong_outcome": "2",
}
SCHEMA = {"type": "object", "properties": {"done": {"type": "boolean"}}, "required": ["done"]}
READ = {
    "type": "function",
    "function": {"name": "read", "description": "Read.", "parameters": {"type": "object", "properties": {}}},
}


class Caller(SlowModel):
    """Calls a tool some times, then answers."""

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return a call of the tool, or the result."""
        turn = sum(message["role"] == "tool" for message in body["messages"]) + 1
        return tool_call("read", {}, turn) if turn < TURNS else tool_call("result", {"done": True}, turn)


class Panelist(SlowModel):
    """Plays every role of a review: reads one file if it can, then answers."""

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return what the role that asks is expected to answer."""
        names = names_of_tools(body)
        has_read = any(message["role"] == "tool" for message in body["messages"])
        if not names:
            return {"content": json.dumps(WORDS)}
        if "review_plan" in names:
            return tool_call("review_plan", PLAN)
        if not has_read:
            return tool_call("get_file_context", {"file_path": "m00.py", "start_line": 1, "end_line": 40})
        if "review_result" in names:
            return tool_call("review_result", scripted_result(json.dumps(body["messages"])))
        return tool_call("verification_judgment", JUDGED)


def scripted_result(told: str) -> dict[str, Any]:
    """Return one finding for each lens in a file of its own, if the diff of that file was shown."""
    number = lens_number(told)
    file = f"m{number:02}.py"
    finding = {**CLAIM, "title": f"Wrong {number}", "file": file, "verification": PROOF}
    return result_of([finding] if f"=== {file}" in told else [])


def lens_number(told: str) -> int:
    """Return the number of the first lens that was asked for."""
    return next((index for index, task in enumerate(TASKS) if task in told), len(TASKS))


def result_of(findings: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the answer of a specialist."""
    return {"schema_version": "1.3", "prompt_version": CURRENT_PROMPT_VERSION, "findings": findings}


class ReadTool:
    """A tool that takes no time."""

    descriptions = (READ,)

    def call(self, _name: str, _arguments: object) -> dict[str, Any]:
        """Return some text."""
        return {"text": "x" * 2000}


class UnaskedMind:
    """A mind whose talks are only measured."""

    model = "unasked"

    def __init__(self, role: Role) -> None:
        self.role: Role = role

    async def converse(self, talk: Talk, _emit: Emit) -> Answer:
        """Fail, since nobody should ask."""
        raise AssertionError(f"{talk.speaker} was asked")


def minds(scale: Scale) -> list[Row]:
    """Compare talks and a whole review with the longest chain of calls, and what a verifier reads."""
    latency = scale.latency_seconds
    with serving(Caller, latency) as url:
        one, several = asyncio.run(_hold_talks(url, 1)), asyncio.run(_hold_talks(url, TALKS))
    with changed_repository(scale.changed_files) as repository, tempfile.TemporaryDirectory() as cache:
        with serving(Panelist, 0) as url:
            # Afterwards analysers answer from their cache.
            scripted_review(repository, Path(cache), url)
        with serving(Panelist, latency) as url:
            seconds = (
                min(scripted_review(repository, Path(cache), url).duration_ms for _ in range(scale.rounds))
                / 1000
            )
        with _opened(repository) as opened:
            token_row = _verifier_row(opened, Path(cache), scale.changed_files)
    turns, chain = (
        f"{TURNS} calls of {latency:g} s",
        f"the longest chain: {len(CHAIN)} calls of {latency:g} s",
    )
    return [
        Row(f"a talk of {TURNS} turns", one, turns, TURNS * latency, TIME_BOUND),
        Row(f"{TALKS} such talks at once", several, turns, TURNS * latency, TIME_BOUND),
        Row("a review with models", seconds, chain, len(CHAIN) * latency, TIME_BOUND),
        token_row,
    ]


async def _hold_talks(url: str, talks: int) -> float:
    """Return the seconds of some talks at once, after one that warms up."""
    choice = choose_model("slow", "specialist", base_url=url)
    mind = PydanticMind("specialist", choice, limits=CallLimits(at_once=TALKS))
    async with mind.kept_open():
        await mind.converse(_talk(-1), ignore_events)
        started = time.perf_counter()
        answers = await asyncio.gather(*(mind.converse(_talk(one), ignore_events) for one in range(talks)))
        seconds = time.perf_counter() - started
    if {answer.outcome for answer in answers} != {"answered"}:
        raise RuntimeError(f"a talk did not end well: {answers}")
    return seconds


def _talk(number: int) -> Talk:
    return Talk(
        speaker="logic",
        instructions="Instructions. " * 500,
        prefix="The change. " * 2000,
        task=f"Task {number}.",
        schema=SCHEMA,
        schema_name="result",
        tools=ReadTool(),  # type: ignore[arg-type]
    )


def iterations(scale: Scale) -> list[Row]:
    """Compare the tokens of a second review, after a push of one line, with those of the first."""
    pushed = f"m{scale.changed_files - 1:02}.py"
    with changed_repository(scale.changed_files) as repository, serving(Panelist, 0) as url:
        cache = repository.parent / "cache"
        first = scripted_review(repository, cache, url)
        text = (repository / pushed).read_text()
        commit(repository, "Three times", {pushed: text.replace("item * 2", "item * 3", 1)})
        digest = sha256(render(first, "report").encode()).hexdigest()
        second = scripted_review(repository, cache, url, earlier_of(first, digest))
    scope = second.follow_up.scope if second.follow_up else None
    if scope is None or scope.touched != (pushed,):
        raise RuntimeError(f"the second review did not look at {pushed} alone: {scope}")
    what, against = "a second review after a small push", "the first review of the change"
    return [Row(what, _spent(second), against, _spent(first), ITERATION_BOUND, "tok")]


def tokens(scale: Scale) -> Iterator[Row]:
    """Compare the tokens of reviews with those of their diffs."""
    for files in sorted({1, scale.changed_files // 4, scale.changed_files}):
        with changed_repository(files) as repository, serving(Panelist, 0) as url:
            report = scripted_review(repository, repository.parent / "cache", url)
        diff, spent = _tokens(*map(diff_of, report.change.files)), _spent(report)
        yield Row(f"a review of {files} changed files", spent, "its diff", diff, REVIEW_BOUND, "tok")


@contextmanager
def changed_repository(files: int) -> Iterator[Path]:
    """Make a repository whose branch `topic` changes many places in some files."""
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder) / "repository"
        repository.mkdir()
        for branch, start, added in (("main", "0", "item"), ("topic", "0.0", "item * 2")):
            texts = {f"m{number:02}.py": _module(number, start, added) for number in range(files)}
            commit(repository, f"Write {branch}", texts)
            run("git", "checkout", "-q", "-B", "topic", cwd=repository)
        yield repository


def _module(number: int, start: str, added: str) -> str:
    return "\n\n".join(
        f"def total_{number}_{index}(items):\n"
        f'    """The total of an order of kind {index}."""\n'
        f"    total = {start}\n"
        "    for item in items:\n"
        "        if item is None:\n"
        "            continue\n"
        f"        total += {added}\n"
        "    return total\n"
        for index in range(FUNCTIONS)
    )


@contextmanager
def _opened(repository: Path) -> Iterator[OpenedChange]:
    with open_change(ChangeRequest(target="main...topic", repo=repository)) as opened:
        yield opened


def scripted_review(
    repository: Path, cache: Path, url: str, earlier: Earlier | None = None, effort: Effort = "normal"
) -> Report:
    """Review the branch with every role but the second verifier; check that all went well."""
    roles = [role for role in get_args(Role) if role != "second_verifier"]
    choices = {role: choose_model("slow", role, base_url=url) for role in roles}
    settings = Settings()
    panel = Panel(minds_from(choices, ledger=Ledger()), cache, effort=effort)
    crew = replace(assemble_crew(settings, cache), panel=panel)
    with _opened(repository) as opened:
        report = asyncio.run(review(opened.change, opened.repository, settings, crew, earlier=earlier))
    found = [one for one in report.candidates if one.kind == "model"]
    if report.incomplete or report.words is None or not found or not {*found} <= {*report.shown}:
        raise RuntimeError(f"the review did not go as planned: {found}, {report.incomplete}")
    return report


def _verifier_row(opened: OpenedChange, cache: Path, findings: int) -> Row:
    """Compare requests to a verifier with the whole diff."""
    panel = Panel({role: UnaskedMind(role) for role in get_args(Role)}, cache)
    briefing = panel.brief(Case(opened.change, opened.repository, ignore_events))
    plan = plan_by_size(opened.change, LENSES)
    verifier = panel.verifier(briefing, plan)
    found = [_finding(number) for number in range(findings)]
    talks = [verifier.talk(_candidate(finding)) for finding in found]
    whole_diff = "\n\n".join(diff_of(file) for file in opened.change.files)
    naive = sum(_tokens(whole_diff, finding.model_dump_json()) for finding in found)
    sent = sum(map(_sent, talks))
    return Row(
        f"verifying {findings} findings", sent, "the whole diff each time", naive, VERIFIER_BOUND, "tok"
    )


def _spent(report: Report) -> int:
    return sum(one.input_tokens + one.output_tokens for one in report.usage)


def _sent(talk: Talk) -> int:
    """Return the tokens of a whole request: tools and schema are sent each time, too."""
    tools = json.dumps(talk.tools.descriptions if talk.tools else [])
    return _tokens(talk.instructions, talk.prefix, talk.task, tools, json.dumps(talk.schema))


def _tokens(*texts: str) -> int:
    return sum(estimate_tokens(text) for text in texts)


def _finding(number: int) -> Finding:
    return Finding(
        id=str(number),
        severity=Severity.HIGH,
        category=Category.CORRECTNESS,
        title="The total counts each item twice",
        file=f"m{number:02}.py",
        line=7 + 10 * number,
        message="Every item is multiplied by two, also where it was bought once.",
    )


def _candidate(finding: Finding) -> Candidate:
    return Candidate(id=finding.id, specialist="logic", kind="model", index=0, finding=finding)
