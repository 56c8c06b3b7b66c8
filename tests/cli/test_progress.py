"""One line says who is at work."""

from affidavit.cli.progress import describe
from affidavit.events import Event, EventName


def test_an_analyser_is_named_once_and_an_agent_with_its_tool() -> None:
    working: dict[str, str] = {}
    describe(Event(name=EventName.TOOL_CALLED, data={"specialist": "ruff", "tool": "ruff"}), working)
    line = describe(Event(name=EventName.TOOL_CALLED, data={"specialist": "logic", "tool": "blame"}), working)
    assert line == "looking: ruff, logic (blame)"
