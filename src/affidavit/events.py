"""What a review tells others while it runs: seed 004's events, with `specialist` and `finding_id` added."""

from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from affidavit.records.record import Record

Agent = Literal["planner", "reviewer", "verifier", "reporter"]


class EventName(StrEnum):
    """The names of seed 004, and `specialist.finished` of ours."""

    PIPELINE_STARTED = "pipeline.started"
    AGENT_STARTED = "agent.started"
    TOOL_CALLED = "tool.called"
    AGENT_HANDOFF = "agent.handoff"
    FINDING_DETECTED = "finding.detected"
    FINDING_VERIFIED = "finding.verified"
    SPECIALIST_FINISHED = "specialist.finished"
    PIPELINE_COMPLETED = "pipeline.completed"


def now_iso() -> str:
    """The present as seed 004 writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Event(Record):
    """One event; `data` has the fields that seed 004 names for it."""

    name: EventName
    data: dict[str, Any] = Field(default_factory=dict)


Emit = Callable[[Event], None]


def event(name: EventName, **data: Any) -> Event:
    """An event of now."""
    return Event(name=name, data={**data, "timestamp": now_iso()})


def ignore_events(_event: Event) -> None:
    """An emit for those who need no events."""
