"""Find the one `ReviewResult` object in a reply, whatever surrounds it."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jiter

from affidavit.contract.json_scan import Scan, scan_json
from affidavit.records.diagnostics import Reason


@dataclass(frozen=True)
class FoundObject:
    """The object in a reply, before anything in it is checked."""

    value: dict[str, Any]
    is_truncated: bool = False
    was_encoded: bool = False
    """The reply was a JSON string with the object's text in it."""
    unfinished: str | None = None
    """The text of the finding in which the reply was cut off."""


@dataclass(frozen=True)
class NothingFound:
    """The reason why no object can be taken from the reply."""

    code: Reason
    detail: str


class _Unreadable:
    """Marks text that is not JSON: None is a JSON value."""


_UNREADABLE = _Unreadable()
_CANDIDATE = re.compile(r'(?:\[[ \t\n\r]*+)?\{[ \t\n\r]*+(?:"|\Z)')
_REVIEW_KEYS = ('"schema_version"', '"prompt_version"', '"findings"')
_OPENING_FENCE = re.compile(r"(?P<fence>`{3,}+|~{3,}+)[ \t]*+\w*+[ \t]*+\r?\n\s*+")
_WHOLE_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)


def object_with_key(text: str | None, key: str) -> dict[str, Any] | None:
    """Return the object that has the key; None if there is none, a broken one, or several different ones."""
    found = find_object(text or "", (f'"{key}"',))
    return found.value if isinstance(found, FoundObject) and not found.is_truncated else None


def find_object(text: str, keys: Sequence[str] = _REVIEW_KEYS) -> FoundObject | NothingFound:
    """Find the one object in a reply that has one of the keys; several or a broken one are refused."""
    text = _without_fence(text.strip().removeprefix("\ufeff").strip())
    value = decode_json(text)
    if isinstance(value, dict):
        return FoundObject(value)
    if isinstance(value, str):
        return _mark_encoded(_search(value, keys), is_cut=False)
    if value is not _UNREADABLE:
        return NothingFound(
            Reason.INVALID_TYPE, f"the reply is {json_type(value)}, where an object was expected"
        )
    encoded = _start_of_encoded_reply(text)
    if encoded is not None:
        return _mark_encoded(_search(encoded, keys), is_cut=True)
    return _search(text, keys)


def _without_fence(text: str) -> str:
    """Remove a fence around an encoded reply; `_search` finds objects in any other."""
    opened = _OPENING_FENCE.match(text)
    if opened is None:
        return text
    body = text[opened.end() :].removesuffix(opened["fence"]).rstrip()
    return body if body.startswith('"') else text


def writable(text: str) -> str:
    """Replace what no encoding can represent, such as half of a surrogate pair."""
    return text.encode("utf-8", "backslashreplace").decode()


def decode_json(text: str) -> Any:
    """Decode a text that is JSON, or return a marker that is no JSON value; duplicate keys are refused."""
    try:
        return jiter.from_json(text.encode(), allow_inf_nan=False, catch_duplicate_keys=True)
    except ValueError:  # also of a text with lone surrogates, which has no encoding
        return _UNREADABLE


_TYPES: dict[type, str] = {
    type(None): "null",
    bool: "a boolean",
    str: "a string",
    int: "a number",
    float: "a number",
    list: "an array",
    dict: "an object",
}


def json_type(value: Any) -> str:
    """Name the JSON type of a decoded value, with its article."""
    return _TYPES[type(value)]


def _mark_encoded(found: FoundObject | NothingFound, *, is_cut: bool) -> FoundObject | NothingFound:
    if isinstance(found, NothingFound):
        return found
    return replace(found, was_encoded=True, is_truncated=found.is_truncated or is_cut)


def _start_of_encoded_reply(text: str) -> str | None:
    if not text.startswith('"') or _WHOLE_STRING.match(text):
        return None
    try:
        value = jiter.from_json(text.encode(), partial_mode="trailing-strings")
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def _search(text: str, keys: Sequence[str]) -> FoundObject | NothingFound:
    """Look for the object in prose and fences."""
    # A reply truncated inside a fence may still close the fence.
    text = text.rstrip(" \t\r\n`")
    found: list[FoundObject] = []
    for start, scan in _scan_candidates(text) if _mentions(text, keys) else ():
        part = text[start : scan.end]
        if not _mentions(part, keys):
            continue
        taken = _take(part, scan)
        if taken is None:
            # An object after a broken result may be a quote from it, so it is not used.
            return NothingFound(Reason.INVALID_JSON, f"the JSON breaks near character {scan.end}")
        found.append(taken)
    return _the_only_one(found) if found else _explain_absence(text)


def _the_only_one(found: list[FoundObject]) -> FoundObject | NothingFound:
    first = _canonical(found[0])
    if any(_canonical(other) != first for other in found[1:]):
        return NothingFound(Reason.INVALID_JSON, "the reply has several different ReviewResult objects")
    return found[0]


def _explain_absence(text: str) -> NothingFound:
    first = next(_scan_candidates(text), None)
    if first is not None and first[1].outcome == "cut_off":
        return NothingFound(Reason.TRUNCATED_JSON, "the reply was cut off before its first field")
    return NothingFound(Reason.INVALID_JSON, "the reply has no ReviewResult object")


def _mentions(text: str, keys: Sequence[str]) -> bool:
    return any(key in text for key in keys)


def _scan_candidates(text: str) -> Iterator[tuple[int, Scan]]:
    position = 0
    while match := _CANDIDATE.search(text, position):
        scan = scan_json(text, match.start())
        yield match.start(), scan
        # Continuing where the scan stopped, not one character further, keeps the search linear.
        position = max(scan.end, match.start() + 1)


def _take(part: str, scan: Scan) -> FoundObject | None:
    if scan.outcome == "malformed" or (scan.outcome == "cut_off" and part.startswith("[")):
        return None
    is_truncated = scan.outcome == "cut_off"
    value = decode_json((scan.salvage or "{}") if is_truncated else part)
    if not isinstance(value, dict):
        return None
    unfinished = scan.unfinished and writable(scan.unfinished)
    return FoundObject(value, is_truncated=is_truncated, unfinished=unfinished)


def _canonical(found: FoundObject) -> str:
    return json.dumps([found.value, found.is_truncated, found.unfinished], sort_keys=True)
