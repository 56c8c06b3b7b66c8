"""The verifier's answer: its schema, and how a reply is read into a judgement, or why it cannot be."""

from typing import Any

from affidavit.contract.keyed_object import object_with_key
from affidavit.records.candidate import Judgement, Worth
from affidavit.records.record import Record

JUDGEMENT_SCHEMA_NAME = "verification_judgment"
JUDGEMENT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["judgment", "qualified", "worth", "reason"],
    "properties": {
        "judgment": {
            "type": "string",
            "enum": ["CONFIRMED", "REFUTED"],
            "description": "Binary verification judgment for the finding",
        },
        "qualified": {
            "type": "boolean",
            "description": "True where the finding is real but the code that can be read leaves a link open",
        },
        "worth": {
            "type": "string",
            "enum": ["act", "maybe", "nit"],
            "description": "Would a maintainer act on it in this change?",
        },
        "reason": {"type": "string", "description": "One sentence with the deciding fact as file:line"},
    },
}
JUDGEMENTS = ("CONFIRMED", "REFUTED")


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
    return Judgement(
        by="verifier",
        answer=word,
        qualified=value.get("qualified") is True,
        worth=_worth(value.get("worth")),
        reason=str(value.get("reason") or "")[:1000],
        model=model,
    )


def _worth(value: Any) -> Worth | None:
    word = value.strip().lower() if isinstance(value, str) else ""
    return Worth(word) if word in set(Worth) else None
