"""A whole review with models: its time against its longest chain of calls, and what is sent to verify."""

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from affidavit.config.settings import Settings
from affidavit.contract.versions import CURRENT_PROMPT_VERSION
from affidavit.events import Emit, ignore_events
from affidavit.minds.choice import choose_model
from affidavit.minds.ledger import Ledger
from affidavit.minds.prices import estimate_tokens
from affidavit.minds.roles import minds_from
from affidavit.pipeline import review
from affidavit.ports import Case, Role, Talk
from affidavit.records.candidate import Candidate
from affidavit.records.finding import Category, Finding, Severity
from affidavit.records.report import Answer, Report
from affidavit.reviewing.hold import assemble_crew
from affidavit.reviewing.panel import assemble_panel
from affidavit.specialists.agents.briefing import diff_of
from affidavit.specialists.agents.model_agents import LENSES, ModelAgent
from affidavit.stages.looking.intake import ChangeRequest, OpenedChange, open_change
from affidavit.stages.looking.plan import plan_by_size
from bench.commits import git
from bench.row import ROUNDS, Row
from bench.slow_model import SlowModel, serve, serving, tool_call

LATENCY_SECONDS = 2.0
CHAIN = ("plan", "read", "look", "read again", "second look", "read to verify", "verify", "words")
"""The calls that must wait for each other."""
TIME_BOUND = 1.15
FINDINGS = 20
FILES, FUNCTIONS = 20, 25
TOKEN_BOUND = 1 / 5
PLAN = {
    "goal": "This change is trying to add",
    "approach": "a",
    "impact": "i",
    "questions": {lens: [] for lens in LENSES},
}
JUDGED = {"judgment": "CONFIRMED", "qualified": False, "worth": "act", "reason": "a"}
WORDS = {"summary": "It adds.", "positive_notes": [], "recommendations": []}


@dataclass(frozen=True)
class TokenRow(Row):
    """A comparison of tokens."""

    def line(self) -> str:
        """The row as text."""
        ratio = self.seconds / self.other_seconds
        mark = "within" if ratio <= self.bound else "OVER"
        return (
            f"{self.what:<38} {self.seconds:8.0f} tok {self.against:<42} {self.other_seconds:8.0f} tok"
            f" ratio {ratio:6.2f}   {mark} {self.bound:g}"
        )


class Panelist(SlowModel):
    """Every role of a review: reads one file where it may, then answers."""

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        names = {tool["function"]["name"] for tool in body.get("tools", ())}
        has_read = any(message["role"] == "tool" for message in body["messages"])
        if not names:
            return {"content": json.dumps(WORDS)}
        if "review_plan" in names:
            return tool_call("review_plan", PLAN)
        if not has_read:
            return tool_call("get_file_context", {"file_path": "m00.py", "start_line": 1, "end_line": 40})
        if "review_result" in names:
            return tool_call("review_result", _result(json.dumps(body["messages"])))
        return tool_call("verification_judgment", JUDGED)


def _result(told: str) -> dict[str, Any]:
    """One finding for each lens, each in a file of its own."""
    tasks = ("# Your task: logic", "fit with the rest", "# Your task: security", "reliability, performance")
    number = next((index for index, task in enumerate(tasks) if task in told), len(tasks))
    quote = {
        "code_examined": "    return total",
        "line_range_examined": [1, 8],
        "verification_method": "read",
    }
    proof = {**quote, "checked_for_handling_elsewhere": True, "failing_input": "1", "wrong_outcome": "2"}
    claim = {
        "id": "1",
        "severity": "high",
        "category": "correctness",
        "title": f"Wrong {number}",
        "message": "m",
    }
    finding = {**claim, "file": f"m{number:02}.py", "line": 8, "verification": proof}
    return {"schema_version": "1.1", "prompt_version": CURRENT_PROMPT_VERSION, "findings": [finding]}


@contextmanager
def large_change() -> Iterator[OpenedChange]:
    """Some 2,000 changed lines in twenty files, in many hunks."""
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder) / "repo"
        repository.mkdir()
        git(repository, "init", "-q", "-b", "main")
        for message, wrong in (("Before", "item"), ("Add twice what is bought twice", "item * 2")):
            for number in range(FILES):
                (repository / f"m{number:02}.py").write_text(module_text(number, wrong))
            git(repository, "add", "-A")
            git(repository, "commit", "-q", "-m", message)
        with open_change(ChangeRequest(target="HEAD", repo=repository)) as opened:
            yield opened


def module_text(number: int, added: str) -> str:
    """One module of the change; `added` is what its totals grow by."""
    functions = [
        f"def total_{number}_{index}(items):\n"
        f'    """The total of an order of kind {index}."""\n'
        "    total = 0\n"
        "    for item in items:\n"
        "        if item is None:\n"
        "            continue\n"
        f"        total += {added}\n"
        "    return total\n"
        for index in range(FUNCTIONS)
    ]
    again = [text.replace("total = 0", "total = 0.0") if "* 2" in added else text for text in functions]
    return "\n\n".join(again)


def rows() -> list[Row]:
    """The review against its chain, the verifier against the whole diff, and what requests share."""
    with large_change() as opened, tempfile.TemporaryDirectory() as cache:
        return [_time_row(opened, Path(cache)), *_token_rows(opened, Path(cache))]


def _time_row(opened: OpenedChange, cache: Path) -> Row:
    with serving("bench.model_review", 0) as url:
        _timed_review(opened, cache, url)
    with serving("bench.model_review", LATENCY_SECONDS) as url:
        seconds = min(_timed_review(opened, cache, url) for _ in range(ROUNDS))
    against = f"the longest chain: {len(CHAIN)} calls of {LATENCY_SECONDS:g} s"
    return Row("a review with models", seconds, against, len(CHAIN) * LATENCY_SECONDS, TIME_BOUND)


def _timed_review(opened: OpenedChange, cache: Path, url: str) -> float:
    """The wall time of the stages; analysers answer from their cache the second time."""
    roles = [role for role in get_args(Role) if role != "second_verifier"]
    choices = {role: choose_model("slow", role, base_url=url) for role in roles}
    settings = Settings()
    panel = assemble_panel(minds_from(choices, ledger=Ledger()), cache)
    crew = replace(assemble_crew(settings, cache), panel=panel)
    started = time.perf_counter()
    report = asyncio.run(review(opened.change, opened.repository, settings, crew))
    seconds = time.perf_counter() - started
    _check(report)
    return seconds


def _check(report: Report) -> None:
    shown = [one for one in report.shown if one.kind == "model"]
    if report.incomplete or report.words is None or len(shown) != len(LENSES) + 1:
        raise SystemExit(f"the review did not go as planned: {len(shown)} shown, {report.incomplete}")


class Unasked:
    """A mind whose talks are only measured."""

    model = "unasked"

    def __init__(self, role: Role) -> None:
        self.role: Role = role

    async def converse(self, talk: Talk, _emit: Emit) -> Answer:
        """Nobody comes here."""
        raise AssertionError(f"{talk.speaker} was asked")


def _token_rows(opened: OpenedChange, cache: Path) -> list[Row]:
    session = assemble_panel({role: Unasked(role) for role in get_args(Role)}, cache).convene(
        Case(opened.change, opened.repository, ignore_events)
    )
    plan = plan_by_size(opened.change, LENSES)
    verifier = session.verifier(plan)
    found = [_finding(number) for number in range(FINDINGS)]
    talks = [verifier.talk(_candidate(finding), finding) for finding in found]
    whole_diff = "\n\n".join(diff_of(file) for file in opened.change.files)
    naive = sum(_tokens(whole_diff, finding.model_dump_json()) for finding in found)
    tools = session.panel.make_tools(session.case)
    agents = [agent.talk(tools) for agent in session.agents(plan) if isinstance(agent, ModelAgent)]
    return [
        TokenRow(
            f"verifying {FINDINGS} findings",
            sum(map(_sent, talks)),
            "the whole diff each time",
            naive,
            TOKEN_BOUND,
        ),
        _shared_row("a verifier's request", talks[0]),
        _shared_row("a specialist's request", agents[0]),
    ]


def _shared_row(whose: str, talk: Talk) -> Row:
    whole = _sent(talk)
    return TokenRow(f"repeated prefix of {whose}", whole - _tokens(talk.task), "the whole request", whole, 1)


def _sent(talk: Talk) -> int:
    """A whole request: tools and schema are sent each time, too."""
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


if __name__ == "__main__":
    if "serve" in sys.argv:
        serve(Panelist, float(sys.argv[-1]))
    for row in rows():
        print(row.line())
