"""Find the one object with a given key in a reply, whatever prose surrounds it."""

import json
from typing import Any

from affidavit.contract.json_scan import scan_json


def object_with_key(text: str | None, key: str) -> dict[str, Any] | None:
    """The object that has the key; None if there is none, a broken one, or several different ones."""
    reply = (text or "").strip()
    whole = _decoded(reply)
    found = [whole] if whole is not None else _objects_with(reply, key)
    is_clear = len({json.dumps(each, sort_keys=True) for each in found}) == 1
    return found[0] if is_clear else None


def _objects_with(text: str, key: str) -> list[dict[str, Any]]:
    found = []
    start = text.find("{")
    while start >= 0:
        scan = scan_json(text, start, len(text))
        part = text[start : scan.end]
        if f'"{key}"' in part:
            value = _decoded(part)
            if value is None:
                # What follows a broken answer may be a quote from inside it: it must not pass for it.
                return []
            found += [value] if key in value else []
        # Continuing where the scan stopped, not one character further, keeps the search linear.
        start = text.find("{", max(scan.end, start + 1))
    return found


def _decoded(text: str) -> dict[str, Any] | None:
    """The object that is the whole text; half a character in it is replaced, as it cannot be written."""
    try:
        value = json.loads(text, object_pairs_hook=_with_unique_keys)
        written = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        return json.loads(written) if isinstance(value, dict) else None
    except (ValueError, RecursionError):
        return None


def _with_unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key is given twice")
    return value
