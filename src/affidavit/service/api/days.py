"""A day that a request names: its text goes in, and comes out where there is such a day and it has begun."""

from datetime import UTC, date, datetime
from typing import Annotated

from fastapi import Query
from pydantic import AfterValidator


def _begun(text: str) -> str:
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"there is no day {text}: write it as YYYY-MM-DD") from error
    if day > datetime.now(UTC).date():
        raise ValueError(f"{text} lies in the future: name today (UTC) or an earlier day")
    return text


Day = Annotated[
    str,
    Query(
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
        description="A day, UTC; not one to come.",
        json_schema_extra={"format": "date"},
    ),
    AfterValidator(_begun),
]
