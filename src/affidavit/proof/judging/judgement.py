"""The verifier's answer: its schema, and how a reply is read into a judgement, or why it cannot be."""

from collections.abc import Iterable
from typing import Any, get_args

from affidavit.contract.keyed_object import object_with_key
from affidavit.records.candidate import Judgement, Scenario, Worth
from affidavit.records.finding import Severity
from affidavit.records.record import Record

UNCHANGED = "unchanged"
JUDGEMENT_SCHEMA_NAME = "verification_judgment"
JUDGEMENT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["scenario", "judgment", "qualified", "worth", "reason", "severity"],
    "properties": {
        "scenario": {"type": "string", "enum": list(get_args(Scenario))},
        "judgment": {
            "type": "string",
            "enum": ["CONFIRMED", "REFUTED"],
            "description": "Binary verification judgment for the finding",
        },
        "qualified": {"type": "boolean"},
        "worth": {"type": "string", "enum": ["act", "maybe", "nit"]},
        "reason": {"type": "string"},
        "severity": {"type": "string", "enum": [str(one) for one in Severity]},
    },
}
RUN: dict[str, Any] = {
    "type": "string",
    "description": "The `run` that run_program answered with, where a program decided it; otherwise empty",
}
JUDGEMENTS = ("CONFIRMED", "REFUTED")


def running_schema() -> dict[str, Any]:
    """Return the schema for a verifier that can run programs: it names the one that decided."""
    properties = {**JUDGEMENT_SCHEMA["properties"], "run": RUN}
    return {
        **JUDGEMENT_SCHEMA,
        "required": [*JUDGEMENT_SCHEMA["required"], "run"],
        "properties": properties,
    }


class Unreadable(Record):
    """Why a reply is not a judgement."""

    reason: str


def read_judgement(text: str | None, model: str) -> Judgement | Unreadable:
    """Read a reply; prose around the object is skipped; anything else that is unclear is unreadable."""
    value = object_with_key(text, "judgment")
    if value is None:
        return Unreadable(reason="the reply has no JSON object, a broken one or several")
    given = value.get("judgment")
    word = given.strip().upper() if isinstance(given, str) else None
    if word not in JUDGEMENTS:
        return Unreadable(reason=f"judgment must be CONFIRMED or REFUTED, not {str(given)[:40]!r}")
    scenario = _word(value.get("scenario"), get_args(Scenario))
    worth, severity = _word(value.get("worth"), Worth), _word(value.get("severity"), Severity)
    reason = str(value.get("reason") or "")[:1000]
    if scenario == UNCHANGED and word == "CONFIRMED":
        # What base does as well, and nobody promised to fix, is no problem of this change.
        word, reason = "REFUTED", f"unchanged, base and head end alike: {reason}"
    return Judgement.model_validate(
        {
            "by": "verifier",
            "answer": word,
            "qualified": value.get("qualified") is True,
            "scenario": scenario,
            "worth": worth,
            "severity": severity,
            "reason": reason,
            "model": model,
        }
    )


def read_run(text: str | None) -> str:
    """The run by which a judgement says that it was decided; empty where it names none."""
    value = object_with_key(text, "judgment") or {}
    run = value.get("run")
    return run.strip() if isinstance(run, str) else ""


def _word(value: Any, known: Iterable[str]) -> str | None:
    word = value.strip().lower() if isinstance(value, str) else ""
    return word if word in set(known) else None
