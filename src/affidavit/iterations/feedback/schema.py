"""The JSON Schema of feedback documents, as the package keeps it."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

SCHEMA_FILE = "actionable-feedback.schema.json"


@cache
def feedback_schema() -> dict[str, Any]:
    """The schema, with the wording rules and the numbers of the loop that stand beside it."""
    text = files(__package__).joinpath(SCHEMA_FILE).read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
