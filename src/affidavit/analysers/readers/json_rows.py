"""The JSON list that an analyser prints: text in, its rows out."""

import json
from typing import Any


def json_rows(text: str) -> list[Any]:
    """Every row; raises TypeError where something else was printed, and ValueError where it is no JSON."""
    rows = json.loads(text)
    if not isinstance(rows, list):
        raise TypeError("not a list of diagnostics")
    return rows
