"""Define the events that a review reports while it runs."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from affidavit.records.candidate import Candidate
from affidavit.records.program_runs import Program, ProgramRun
from affidavit.records.record import Record
from affidavit.records.report import Report

RUNS_CODE = ("run_program", "run_tests")
CALLS_OUTSIDE = "call_outside_tool"
Agent = Literal["planner", "reviewer", "verifier", "reporter"]


class EventName(StrEnum):
    """The names by which listeners distinguish events."""

    PIPELINE_STARTED = "pipeline.started"
    AGENT_STARTED = "agent.started"
    TOOL_CALLED = "tool.called"
    AGENT_HANDOFF = "agent.handoff"
    PROGRAM_RUN = "program.run"
    FINDING_DETECTED = "finding.detected"
    FINDING_VERIFIED = "finding.verified"
    SPECIALIST_FINISHED = "specialist.finished"
    USAGE_UPDATED = "usage.updated"
    PIPELINE_COMPLETED = "pipeline.completed"


def now_iso() -> str:
    """Return the current time in UTC, to the millisecond."""
    return iso(datetime.now(UTC))


def iso(moment: datetime) -> str:
    """Format a moment in UTC, to the millisecond, as text that sorts by time."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Event(Record):
    """One event; which fields `data` has depends on its name."""

    name: EventName
    data: dict[str, Any] = Field(default_factory=dict)


Emit = Callable[[Event], None]


def event(name: EventName, **data: Any) -> Event:
    """Return an event with the current time."""
    return Event(name=name, data={**data, "timestamp": now_iso()})


def ignore_events(_event: Event) -> None:
    """Drop the event: for callers that need none."""


def pipeline_started(review_id: str) -> Event:
    """Report that the review begins."""
    return event(EventName.PIPELINE_STARTED, review_id=review_id, agent="planner")


def handoff(giver: Agent, taker: Agent, **counts: int) -> Event:
    """Report that one agent hands its work to the next."""
    return event(EventName.AGENT_HANDOFF, **{"from": giver, "to": taker}, **counts)


def finding_detected(candidate: Candidate, severity: str) -> Event:
    """Report that a specialist's finding has passed the contract and the check of its evidence.

    `severity` is a word of `ReviewVerdict`; `finding_severity` is the finding's own.
    """
    finding = candidate.finding
    return event(
        EventName.FINDING_DETECTED,
        agent="reviewer",
        severity=severity,
        finding_severity=finding.severity if finding else None,
        title=finding.title if finding else "",
        specialist=candidate.specialist,
        finding_id=candidate.id,
        file=finding.file if finding else "",
        line=finding.line if finding else 0,
    )


def tool_called(name: str, arguments: object) -> dict[str, str]:
    """Return how an event names a tool call: running code and outside searches have names of their own.

    Running code is `code_interpreter` with an `action`; a search is `web_search` with its `query`.
    """
    if name in RUNS_CODE:
        return {"tool": "code_interpreter", "action": name}
    query = _outside_query(arguments) if name == CALLS_OUTSIDE else None
    return {"tool": name} if query is None else {"tool": "web_search", "query": query}


def _outside_query(arguments: object) -> str | None:
    """Return the query if the tool of an outside server is a search, else None."""
    given = arguments if isinstance(arguments, dict) else {}
    passed = given.get("arguments")
    if isinstance(passed, str):
        try:
            passed = json.loads(passed)
        except (ValueError, RecursionError):
            return None
    query = passed.get("query", passed.get("q")) if isinstance(passed, dict) else None
    return query if "search" in str(given.get("tool", "")).lower() and isinstance(query, str) else None


def program_run(program: Program, run: ProgramRun, finding: str = "") -> Event:
    """Report that a program was run on one side, for a finding or a model."""
    return event(
        EventName.PROGRAM_RUN,
        agent="verifier" if finding else "reviewer",
        finding_id=finding or None,
        program=program.run_id,
        language=program.language,
        side=run.side,
        state=run.state,
        exit_code=run.exit_code,
        duration_ms=run.duration_ms,
    )


def pipeline_completed(report: Report) -> Event:
    """Report that the review is done."""
    return event(
        EventName.PIPELINE_COMPLETED,
        review_id=report.id,
        verdict=report.verdict.decision,
        duration_ms=report.duration_ms,
    )
