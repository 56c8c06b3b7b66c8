"""Compare with a kept file; `UPDATE_SNAPSHOTS=1` writes it instead."""

import json
import os
import re
from pathlib import Path
from typing import Any

KEPT = Path(__file__).parent.parent / "golden"
WORDS = {
    "message",
    "title",
    "detail",
    "description",
    "text",
    "markdown",
    "advice",
    "reason",
    "summary",
    "help",
}
WORDS |= {"shortDescription", "fullDescription", "content", "body", "suggestion", "recommendations", "notice"}
VARYING = re.compile(r"_ms$|_at$|timestamp|duration|^review_id$|_usd$|tokens$|_version$|Version$|^guid$")
IDS = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIMES = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(?:Z|[+-]\d\d:\d\d)?")
DURATIONS = re.compile(r'(_ms": |\btime=")[\d.]+')
SHORT_IDS = re.compile(r"^(report +)[0-9a-f]{8}$", re.MULTILINE)
SECONDS = re.compile(r"\b\d+(?:\.\d+)? ?(?:s|ms|seconds?)\b")


def assert_data(name: str, value: Any) -> None:
    """The value without its words is that of the kept file."""
    _assert_kept(KEPT / "data" / f"{name}.json", json.dumps(data_of(value), indent=1, sort_keys=True) + "\n")


def assert_words(name: str, text: str) -> None:
    """The text is that of the kept file, apart from ids and times."""
    _assert_kept(KEPT / "words" / name, worded(text))


def worded(text: str) -> str:
    """A text with ids and times taken out."""
    timeless = SECONDS.sub("N s", DURATIONS.sub(r"\g<1>0", TIMES.sub("TIME", text)))
    return SHORT_IDS.sub(r"\1ID", IDS.sub("ID", timeless))


def data_of(value: Any) -> Any:
    """A JSON value without what is worded for people and what differs from run to run."""
    if isinstance(value, dict):
        kept = {key: one for key, one in value.items() if key not in WORDS and not VARYING.search(key)}
        return {key: data_of(one) for key, one in kept.items()}
    if isinstance(value, list | tuple):
        return [data_of(one) for one in value]
    return IDS.sub("ID", value) if isinstance(value, str) else value


def data_of_event(event: dict[str, Any]) -> dict[str, Any]:
    """What an event says, apart from its words."""
    kept = ("event", "event_type", "type", "stage", "specialist", "agent", "from", "to", "status")
    return {key: one[key] for one in (event, event.get("data", {})) for key in kept if key in one}


def _assert_kept(file: Path, text: str) -> None:
    if os.environ.get("UPDATE_SNAPSHOTS"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    assert text == file.read_text(), f"differs from {file}"
