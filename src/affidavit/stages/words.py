"""Let the reporter put a finished review into words; verdict, numbers and findings are not its to change."""

import json
import re
from collections.abc import Collection
from typing import Any

from affidavit.events import Emit
from affidavit.ports import Mind, Talk
from affidavit.records.report import PositiveNote, Report, ReporterWords

WORDS_SCHEMA_NAME = "review_words"
MAX_SUMMARY = 1_000
MAX_SENTENCE = 400
MAX_NOTES = 5
MAX_RECOMMENDATIONS = 3
OBJECT = re.compile(r"\{.*\}", re.DOTALL)
WORDS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["summary", "positive_notes", "recommendations"],
    "properties": {
        "summary": {"type": "string"},
        "positive_notes": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["file_path", "note"],
                "properties": {"file_path": {"type": "string"}, "note": {"type": "string"}},
            },
        },
        "recommendations": {"type": "array", "items": {"type": "string"}},
    },
}


async def add_words(report: Report, mind: Mind, talk: Talk, emit: Emit) -> Report:
    """Ask once. A reporter that does not answer costs its words and nothing else: the review is done."""
    answer = await mind.converse(talk, emit)
    told = _read(answer.text) if answer.outcome == "answered" else None
    words = _words(told, report) if told is not None else None
    return report.model_copy(update={"words": words, "usage": (*report.usage, answer.usage)})


def _words(told: dict[str, Any], report: Report) -> ReporterWords | None:
    """What may be kept; advice that follows from no finding is nobody's to give."""
    advice = (
        [_line(item, MAX_SENTENCE) for item in _list(told.get("recommendations"))] if report.shown else []
    )
    words = ReporterWords(
        summary=_line(told.get("summary"), MAX_SUMMARY),
        positive_notes=_notes(told.get("positive_notes"), {file.path for file in report.change.files}),
        recommendations=tuple(line for line in advice if line)[:MAX_RECOMMENDATIONS],
    )
    return words if words != ReporterWords() else None


def _notes(value: Any, known: Collection[str]) -> tuple[PositiveNote, ...]:
    notes = [
        PositiveNote(file=item["file_path"], note=note)
        for item in _list(value)
        if isinstance(item, dict)
        and isinstance(item.get("file_path"), str)
        and item["file_path"] in known
        and (note := _line(item.get("note"), MAX_SENTENCE))
    ]
    return tuple(notes[:MAX_NOTES])


def _read(text: str | None) -> dict[str, Any] | None:
    found = OBJECT.search(text or "")
    if found is None:
        return None
    try:
        value = json.loads(found.group())
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _line(value: Any, most: int) -> str:
    """Text as one line, without what cannot be written as UTF-8."""
    if not isinstance(value, str):
        return ""
    line = " ".join(value.encode("utf-8", "replace").decode().split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
