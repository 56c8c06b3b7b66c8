"""Write the result of a tool as text for a model: named fields, code with line numbers.

A text of several lines cannot pass for fields: each line begins with its number or a bar.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

BAR = "| "
MIN_SAID_ONCE = 3
SHORT = 3
"""Shorter values are repeated rather than left out."""
SAME_FILE = "…"
AS_ABOVE = f"(a field that a row lacks is as in the row above it; {SAME_FILE} is its file)"
_NUMBERED = re.compile(r"[ +-]?\d+[:-] |--$|\(read on from line \d+\)$|[ +-]?\d+[:-]$")
_TOLD_ALWAYS = ("line", "name", "signature")
_PLACE = ("file_path", "line_number", "start_line", "end_line")


def written(result: Mapping[str, Any]) -> str:
    """Write a result field by field; what is nested deeper than a list of rows is JSON."""
    return "\n".join(line for key, value in result.items() for line in _field(str(key), value)) or "(nothing)"


def _field(key: str, value: object) -> Iterable[str]:
    if isinstance(value, str) and "\n" in value:
        return [f"{_name(key)}:", *_text(value)]
    if isinstance(value, Mapping):
        return [f"{_name(key)}: {_row(value)}", *_code_of(value)]
    if not isinstance(value, list):
        return [f"{_name(key)}: {_scalar(value)}"]
    if not value:
        return [f"{_name(key)}: (none)"]
    if all(isinstance(each, Mapping) for each in value):
        return [f"{_name(key)}:", *_rows(value)]
    return [f"{_name(key)}:", *(_item(each) for each in value)]


def _rows(rows: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """Write a line for each row; what rows have in common is written once."""
    common = _in_common(rows)
    if common:
        yield f"  each: {_row(common)}"
    owned = [{key: value for key, value in row.items() if key not in common} for row in rows]
    if any(_is_repeated(key, value, above) for above, own in pairwise(owned) for key, value in own.items()):
        yield f"  {AS_ABOVE}"
        owned = [_without_repetition(own, above) for above, own in pairwise([{}, *owned])]
    for own in owned:
        yield f"- {_row(own)}"
        yield from _code_of(own)


def _without_repetition(row: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row with repeated cells left out and missing ones set to None."""
    told = {key: value for key, value in row.items() if not _is_repeated(key, value, above)}
    lacking = dict.fromkeys(key for key in above if key not in row)
    path = {"file_path": SAME_FILE} if "file_path" in row and "file_path" not in told else {}
    return {**path, **told, **lacking}


def _is_repeated(key: str, value: object, above: Mapping[str, Any]) -> bool:
    is_text = isinstance(value, str) and "\n" not in value
    return is_text and key not in _TOLD_ALWAYS and len(str(value)) > SHORT and above.get(key) == value


def _in_common(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    if len(rows) < MIN_SAID_ONCE:
        return {}
    first = rows[0]
    return {
        key: value
        for key, value in first.items()
        if key not in _PLACE
        and isinstance(value, str | int | bool)
        and all(row.get(key) == value for row in rows)
        and "\n" not in str(value)
    }


def _row(row: Mapping[str, Any]) -> str:
    """Write a row: its place, and its fields of one line."""
    fields = [
        f"{_name(str(key))}: {_scalar(value)}"
        for key, value in row.items()
        if key not in _PLACE and not _is_code(value)
    ]
    return " ".join(filter(None, (_place(row), "; ".join(fields))))


def _place(row: Mapping[str, Any]) -> str:
    path = _scalar(row["file_path"]) if "file_path" in row else ""
    start = row.get("line_number", row.get("start_line"))
    lines = "" if start is None else f"{start}-{row['end_line']}" if "end_line" in row else str(start)
    return ":".join(filter(None, (path, lines)))


def _code_of(row: Mapping[str, Any]) -> Iterable[str]:
    for value in row.values():
        if isinstance(value, str) and "\n" in value:
            yield from _text(value)
        elif _is_code(value):
            yield from (_item(each) for each in value)


def _is_code(value: object) -> bool:
    if isinstance(value, str):
        return "\n" in value
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _text(text: str) -> list[str]:
    lines = text.split("\n")
    if all(_NUMBERED.match(line) and not _BREAKS.search(line.removesuffix("\r")) for line in lines):
        return lines
    return [f"{BAR}{part}" for line in lines for part in _BREAKS.split(line.removesuffix("\r"))]


def _item(value: object) -> str:
    """Write an element of a list on a line of its own."""
    line = _scalar(value)
    return line if _NUMBERED.match(line) else f"  {line}"


def _scalar(value: object) -> str:
    if value is None:
        return "(none)"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    # Whatever could end a line is written as JSON does.
    return text if text.isprintable() or not _BREAKS.search(text) else json.dumps(text)[1:-1]


_BREAKS = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def _name(key: str) -> str:
    return _scalar(key)
