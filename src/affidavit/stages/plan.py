"""Understand the change before anybody judges it: its goal, who looks at what, and in which chunks."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from affidavit.events import Emit
from affidavit.ports import Mind, Talk
from affidavit.records.change import Change, FileChange
from affidavit.records.plan import Chunk, Plan
from affidavit.records.report import Part, RoleUsage

CHUNK_TOKENS = 60_000
CHARACTERS_PER_TOKEN = 4
SMALL_LINES, MEDIUM_LINES = 12, 80
PLAN_SCHEMA_NAME = "review_plan"
MAX_QUESTIONS = 6
OBJECT = re.compile(r"\{.*\}", re.DOTALL)


@dataclass(frozen=True)
class Planned:
    """The plan, what it cost, and what went wrong on the way."""

    plan: Plan
    usage: tuple[RoleUsage, ...] = ()
    incomplete: tuple[Part, ...] = ()


def plan_schema(lenses: Sequence[str]) -> dict[str, Any]:
    """What the planner answers."""
    texts = {"type": "array", "items": {"type": "string"}, "maxItems": MAX_QUESTIONS}
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["goal", "approach", "impact", "questions"],
        "properties": {
            "goal": {"type": "string"},
            "approach": {"type": "string"},
            "impact": {"type": "string"},
            "questions": {
                "type": "object",
                "additionalProperties": False,
                "properties": dict.fromkeys(lenses, texts),
            },
            "files_to_skip": {"type": "array", "items": {"type": "string"}},
        },
    }


async def make_plan(mind: Mind, talk: Talk, rough: Plan, lenses: Sequence[str], emit: Emit) -> Planned:
    """Ask the planner; without an answer the rough plan holds, and the review says so."""
    answer = await mind.converse(talk, emit)
    told = _read(answer.text)
    if told is None:
        reason = (
            f"{answer.outcome.replace('_', ' ')}: {answer.detail}"
            if answer.outcome != "answered"
            else "unreadable"
        )
        failed = Part(name="planner", reason=reason, advice="the specialists were chosen by size")
        return Planned(rough, (answer.usage,), (failed,))
    given = told.get("questions")
    asked: dict[str, Any] = given if isinstance(given, dict) else {}
    questions = {lens: _texts(asked.get(lens)) for lens in lenses if lens in asked}
    plan = rough.model_copy(
        update={
            "goal": _text(told.get("goal")),
            "approach": _text(told.get("approach")),
            "impact": _text(told.get("impact")),
            # The planner may leave specialists out, but never the first.
            "questions": _bounded({**dict.fromkeys(lenses[:1], ()), **questions}, rough, lenses),
            "made_by": "model",
        }
    )
    return Planned(plan, (answer.usage,))


def _bounded(
    questions: dict[str, tuple[str, ...]], rough: Plan, lenses: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Effort follows size, whatever the planner asks for."""
    ordered = [lens for lens in lenses if lens in questions]
    return {lens: questions[lens] for lens in ordered[: len(rough.questions)]}


def plan_by_size(change: Change, lenses: Sequence[str]) -> Plan:
    """Who looks, from the size of the change alone, and the chunks that it is shown in."""
    lines = sum(
        len(file.changed_lines("head")) + len(file.changed_lines("base")) for file in change.reviewed_files()
    )
    most = (
        1
        if lines <= SMALL_LINES // 4
        else 2
        if lines <= SMALL_LINES
        else 3
        if lines <= MEDIUM_LINES
        else len(lenses)
    )
    chunks, not_shown = split(change.reviewed_files())
    return Plan(questions=dict.fromkeys(lenses[:most], ()), chunks=chunks, not_shown=not_shown)


def split(
    files: Sequence[FileChange], chunk_tokens: int = CHUNK_TOKENS
) -> tuple[tuple[Chunk, ...], tuple[str, ...]]:
    """Files together as long as they fit; a file that is larger than a chunk is a chunk of its own."""
    chunks: list[Chunk] = []
    paths: list[str] = []
    size = 0
    for file in files:
        tokens = _tokens(file)
        if paths and size + tokens > chunk_tokens:
            chunks.append(Chunk(number=len(chunks) + 1, paths=tuple(paths), tokens=size))
            paths, size = [], 0
        paths.append(file.path)
        size += tokens
    if paths:
        chunks.append(Chunk(number=len(chunks) + 1, paths=tuple(paths), tokens=size))
    too_large = [
        f"{file.path} is larger than one conversation holds"
        for file in files
        if _tokens(file) > 3 * chunk_tokens
    ]
    return tuple(chunks), tuple(too_large)


def _tokens(file: FileChange) -> int:
    return sum(len(line) + 8 for hunk in file.hunks for line in hunk.lines) // CHARACTERS_PER_TOKEN


def _read(text: str | None) -> dict[str, Any] | None:
    found = OBJECT.search(text or "")
    if found is None:
        return None
    try:
        value = json.loads(found.group())
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _text(value: Any) -> str:
    return value.strip()[:4_000] if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(item.strip()[:500] for item in value if isinstance(item, str) and item.strip())[
        :MAX_QUESTIONS
    ]
