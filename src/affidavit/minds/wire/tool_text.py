"""Write the result of a tool as text for a model: named fields, code with line numbers.

A text of several lines cannot pass for fields: each line begins with its number or a bar.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

BAR = "| "
MIN_SAID_ONCE = 3
_SAID = r"\((?:read on from line \d+|lines \d+-\d+ are above, in (?:round \d+|the first message))\)$"
_NUMBERED = re.compile(rf"[ +-]?\d+[:-] |--$|{_SAID}|[ +-]?\d+[:-]$")
_PLACE = ("file_path", "line_number", "start_line", "end_line")


def written(result: Mapping[str, Any]) -> str:
    """Write a result field by field; a part of a row that has fields itself is a line below the row."""
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
    """Write a line for each row; what all rows have in common is written once."""
    common = _in_common(rows)
    if common:
        yield f"  each: {_row(common)}"
    for row in rows:
        yield f"- {_row({key: value for key, value in row.items() if key not in common})}"
        yield from _code_of(row)


def _in_common(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    if len(rows) < MIN_SAID_ONCE or any(isinstance(value, Mapping) for row in rows for value in row.values()):
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
        if key not in _PLACE and not _is_code(value) and not isinstance(value, Mapping)
    ]
    return " ".join(filter(None, (_place(row), "; ".join(fields))))


def _place(row: Mapping[str, Any]) -> str:
    path = _scalar(row["file_path"]) if "file_path" in row else ""
    start = row.get("line_number", row.get("start_line"))
    lines = "" if start is None else f"{start}-{row['end_line']}" if "end_line" in row else str(start)
    return ":".join(filter(None, (path, lines)))


def _code_of(row: Mapping[str, Any]) -> Iterable[str]:
    for key, value in row.items():
        if isinstance(value, Mapping):
            yield f"  {_name(str(key))}: {_row(value)}"
            yield from _code_of(value)
        elif isinstance(value, str) and "\n" in value:
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
