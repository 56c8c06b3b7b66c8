"""Show on a terminal what a review is doing; stay silent elsewhere."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from affidavit.events import Emit, Event, EventName, ignore_events


@contextmanager
def show_progress(*, is_quiet: bool) -> Iterator[Emit]:
    """Yield what takes the events of a review."""
    if is_quiet or not sys.stderr.isatty():
        yield ignore_events
        return
    from rich.console import Console  # noqa: PLC0415 - only a terminal needs it

    with Console(stderr=True).status("reading the change") as status:
        working: dict[str, str] = {}

        def follow(event: Event) -> None:
            line = describe(event, working)
            if line:
                status.update(line)

        yield follow


def describe(event: Event, working: dict[str, str]) -> str | None:
    """One line for the state of the review after this event; `working` is who is at work on what."""
    data = event.data
    if event.name is EventName.AGENT_STARTED and data.get("specialist"):
        working[data["specialist"]] = ""
    elif event.name is EventName.TOOL_CALLED and data.get("specialist"):
        working[data["specialist"]] = str(data.get("tool", ""))
    elif event.name is EventName.SPECIALIST_FINISHED:
        working.pop(data["specialist"], None)
    elif event.name is EventName.AGENT_HANDOFF:
        return {"verifier": "checking the findings", "reporter": "writing the report"}.get(data["to"])
    else:
        return None
    if not working:
        return "checking the findings"
    # An analyser is its own tool: naming it twice says nothing.
    shown = [f"{name} ({tool})" if tool not in ("", name) else name for name, tool in working.items()]
    return "looking: " + ", ".join(shown)
