"""Build the places of a SARIF log: locations, the cause of an impact finding, and the way between."""

from collections.abc import Sequence
from typing import Any

from affidavit.records.change import Change
from affidavit.records.finding import Cause
from affidavit.render.exchange.shapes import LONGEST_TEXT, as_uri, inert, whole_characters
from affidavit.render.report.cause_place import changed_place, head_line

_LONGEST_SNIPPET = 4_000


def message(text: str, limit: int = LONGEST_TEXT) -> dict[str, str]:
    """A text that says what it says: in SARIF, `[this](there)` would be a link of the change's choice."""
    return {"text": inert(text, limit).replace("](", "] (")}


def location(path: str, first: int, last: int, snippet: str = "") -> dict[str, Any]:
    """A region of a file of the repository; lines only, so the columns are whole lines."""
    region: dict[str, Any] = {"startLine": first, "endLine": last}
    if snippet:
        region["snippet"] = {"text": snippet[:_LONGEST_SNIPPET]}
    artifact = {"uri": as_uri(path), "uriBaseId": "%SRCROOT%"}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}


def cause_location(change: Change, cause: Cause) -> dict[str, Any] | None:
    """Where the change touched what an impact finding depends on."""
    place = changed_place(change, cause)
    if place is None:
        return None
    line = head_line(place, change)
    snippet = whole_characters(place.anchor.text) if place.anchor.mark == "+" else ""
    said = f"The change of {cause.symbol} here" if cause.symbol.strip() else "The change here"
    return {**location(place.path, line, line, snippet), "message": message(said, 1_000)}


def code_flow(said: str, steps: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One thread that passes through these locations in their order."""
    flow = [{"location": step, "executionOrder": number} for number, step in enumerate(steps, 1)]
    return {"message": message(said), "threadFlows": [{"locations": flow}]}
