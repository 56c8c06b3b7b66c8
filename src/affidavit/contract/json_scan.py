"""Read one JSON value from the middle of a text, and find where it ends, breaks or is cut off."""

import json
import re
from dataclasses import dataclass
from typing import Literal

_SPACE = r"[ \t\n\r]*+"
_LISTED = '"findings"'
# Callers decode the values again; here only their ends count.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)
_KEY = re.compile(rf'{_SPACE}(?P<name>"(?:[^"\\]++|\\.)*+"){_SPACE}:{_SPACE}', re.DOTALL)
_WITHOUT_COLON = re.compile(rf'\[?{_SPACE}\{{{_SPACE}"(?:[^"\\]++|\\.)*+"{_SPACE}(?=[^ \t\n\r:])', re.DOTALL)
_GAP = re.compile(rf"{_SPACE},?{_SPACE}")
_FOLLOWED = re.compile(rf"{_SPACE}[,\]}}]")
_CUT_VALUE = re.compile(r"-|tr?u?|fa?l?s?|nu?l?")
_CUT_NUMBER = re.compile(r"(?<=[0-9])(?:\.|[eE][+-]?)")
_CUT_ESCAPE = re.compile(r"\\?u[0-9a-fA-F]{0,4}")
_NESTING = 200
"""At least this many brackets are skipped if the nesting is too deep to follow."""


@dataclass(frozen=True)
class Scan:
    """The result at a position in the text; `end` is where the value ends, breaks or is cut off."""

    outcome: Literal["whole", "cut_off", "malformed"]
    end: int
    salvage: str | None = None
    """For an object that was cut off: the same object, closed after its last whole part."""
    unfinished: str | None = None
    """For an object that was cut off inside a finding: that finding's text."""


def scan_json(text: str, start: int) -> Scan:
    """Scan the object or array that begins at `start`."""
    # The decoder's errors are slow in a long text, so the most common break in prose is found without it.
    if broken := _WITHOUT_COLON.match(text, start):
        return Scan("malformed", broken.end())
    try:
        return Scan("whole", _DECODER.raw_decode(text, start)[1])
    except json.JSONDecodeError as error:
        if not _is_cut(text, error):
            return Scan("malformed", error.pos)
    except RecursionError:
        return Scan("malformed", min(start + _NESTING, len(text)))
    return _salvage(text, start)


def _is_cut(text: str, error: json.JSONDecodeError) -> bool:
    """Check whether the text ends where it could go on."""
    if error.pos >= len(text) or error.msg.startswith("Unterminated string"):
        return True
    cut = _CUT_ESCAPE if "escape" in error.msg else _CUT_VALUE
    return bool(cut.fullmatch(text, error.pos) or _CUT_NUMBER.fullmatch(text, error.pos))


def _salvage(text: str, start: int) -> Scan:
    """Close an object that was cut off after its last whole member or finding."""
    whole, closing, unfinished = 0, "", None
    position, name, in_findings = start + 1, "", False
    while True:
        if not in_findings:
            key = _KEY.match(text, position)
            if key is None:
                break
            position, name = key.end(), key["name"]
        end = _end_of(text, position)
        if end is not None:
            whole, closing = end, "]}" if in_findings else "}"
            position = _after(text, end)
        elif not in_findings and name == _LISTED and text.startswith("[", position):
            in_findings, position = True, _after(text, position + 1)
        else:
            unfinished = text[position:] or None if in_findings else None
            break
    return Scan("cut_off", len(text), text[start:whole] + closing if whole else None, unfinished)


def _end_of(text: str, start: int) -> int | None:
    """Return the end of a value that is whole: it closes its bracket, or something follows it."""
    try:
        _, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return end if text[start] in "[{" or _FOLLOWED.match(text, end) else None


def _after(text: str, position: int) -> int:
    gap = _GAP.match(text, position)
    return gap.end() if gap else position
