"""Read one JSON value from the middle of a text, and say where it ends, breaks or is cut off."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

_SPACE = r"[ \t\n\r]*+"
_CHARACTER = r'(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))'
_STRING = rf'"{_CHARACTER}*+"'
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![0-9.eE+-])"
_SCALAR = rf"(?:{_STRING}|{_NUMBER}|true|false|null)"

_VALUE = re.compile(rf"{_SPACE}(?P<value>{_SCALAR}|[\[{{])")
_KEY = re.compile(rf"{_SPACE}(?P<key>{_STRING})")
_COLON = re.compile(rf"{_SPACE}:")
_AFTER_VALUE = re.compile(rf"{_SPACE}(?P<mark>[,\]}}])")
_CLOSED_AT_ONCE = re.compile(rf"{_SPACE}[\]}}]")
# Scalars below the top level are skipped in one go: nothing about them has to be remembered.
_SCALAR_RUN = re.compile(rf"(?:{_SPACE}{_SCALAR}{_SPACE},)*+")
_MEMBER_RUN = re.compile(rf"(?:{_SPACE}{_STRING}{_SPACE}:{_SPACE}{_SCALAR}{_SPACE},)*+")

_CUT_STRING = rf'"{_CHARACTER}*+(?:\\(?:u[0-9a-fA-F]{{0,3}})?)?'
_CUT_NUMBER = r"-|-?(?:0|[1-9][0-9]*+)(?:\.|(?:\.[0-9]++)?[eE][+-]?)"
_CUT_WORD = r"t|tr|tru|f|fa|fal|fals|n|nu|nul"
_CUT_VALUE = re.compile(rf"{_SPACE}(?P<value>{_CUT_STRING}|{_CUT_NUMBER}|{_CUT_WORD})?")
_CUT_KEY = re.compile(rf"{_SPACE}(?:{_CUT_STRING})?")
_CUT_MARK = re.compile(_SPACE)

MAX_DEPTH = 200
_LISTED = '"findings"'


@dataclass(frozen=True)
class Scan:
    """What was found at a position in the text. `end` is where the value ends, breaks or is cut off."""

    outcome: Literal["whole", "cut_off", "malformed"]
    end: int
    salvage: str | None = None
    """For an object that was cut off: the same object, closed after its last whole part."""
    unfinished: str | None = None
    """For an object that was cut off inside a finding: that finding's text."""


def scan_json(text: str, start: int, end: int) -> Scan:
    """Scan the object or array that begins at `start`, as if the text stopped at `end`; in linear time."""
    return _Scanner(text, start, end).run()


class _Scanner:
    """A recogniser of JSON's grammar with its own stack, so that nesting cannot exhaust the interpreter's."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text = text
        self._start = start
        self._end = end
        self._position = start
        self._open: list[str] = []
        self._key = ""
        self._is_in_findings = False
        self._element_start: int | None = None
        self._whole_until: tuple[int, str] | None = None
        self._value_end = start
        self._scan: Scan | None = None
        self._step: Callable[[], None] = self._value

    def run(self) -> Scan:
        while self._scan is None:
            self._step()
        return self._scan

    def _value(self) -> None:
        is_element = self._is_in_findings and len(self._open) == 2
        if self._open[-1:] == ["["] and not is_element:
            self._skip(_SCALAR_RUN)
        match = _VALUE.match(self._text, self._position, self._end)
        if match is None:
            self._stop(_CUT_VALUE, is_element=is_element)
            return
        if is_element:
            self._element_start = match.start("value")
        self._position = self._value_end = match.end()
        if match["value"] in ("{", "["):
            self._enter(match["value"])
        else:
            self._step = self._after_value

    def _enter(self, bracket: str) -> None:
        if len(self._open) >= MAX_DEPTH:
            self._finish("malformed")
            return
        if len(self._open) == 1 and self._open[0] == "{":
            self._is_in_findings = bracket == "[" and self._key == _LISTED
        self._open.append(bracket)
        if _CLOSED_AT_ONCE.match(self._text, self._position, self._end):
            self._step = self._after_value
        else:
            self._step = self._member if bracket == "{" else self._value

    def _member(self) -> None:
        if len(self._open) > 1:
            self._skip(_MEMBER_RUN)
        match = _KEY.match(self._text, self._position, self._end)
        if match is None:
            self._stop(_CUT_KEY)
            return
        if len(self._open) == 1:
            self._key = match["key"]
        self._position = match.end()
        self._step = self._colon

    def _colon(self) -> None:
        match = _COLON.match(self._text, self._position, self._end)
        if match is None:
            self._stop(_CUT_MARK)
            return
        self._position = match.end()
        self._step = self._value

    def _after_value(self) -> None:
        match = _AFTER_VALUE.match(self._text, self._position, self._end)
        if match is None:
            self._stop(_CUT_MARK)
        elif match["mark"] == ",":
            self._note_whole_part()
            self._position = match.end()
            self._step = self._member if self._open[-1] == "{" else self._value
        else:
            self._close(match["mark"], match.end())

    def _close(self, mark: str, position: int) -> None:
        if self._open[-1] != {"]": "[", "}": "{"}[mark]:
            self._finish("malformed")
            return
        self._note_whole_part()
        self._open.pop()
        self._position = self._value_end = position
        if not self._open:
            self._finish("whole")
            return
        # A closed bracket is whole by itself; a number is whole only when something follows it.
        self._note_whole_part()
        if len(self._open) == 1:
            self._is_in_findings = False

    def _note_whole_part(self) -> None:
        if self._open == ["{"]:
            self._whole_until = (self._value_end, "}")
        elif self._is_in_findings and len(self._open) == 2 and self._element_start is not None:
            self._whole_until = (self._value_end, "]}")
            self._element_start = None

    def _skip(self, run: re.Pattern[str]) -> None:
        match = run.match(self._text, self._position, self._end)
        if match is not None:
            self._position = match.end()

    def _stop(self, cut: re.Pattern[str], *, is_element: bool = False) -> None:
        match = cut.fullmatch(self._text, self._position, self._end)
        if match is None:
            self._finish("malformed")
            return
        if is_element and match["value"]:
            self._element_start = match.start("value")
        self._finish("cut_off")

    def _finish(self, outcome: Literal["whole", "cut_off", "malformed"]) -> None:
        salvage = unfinished = None
        if outcome == "cut_off":
            if self._whole_until is not None:
                position, closing = self._whole_until
                salvage = self._text[self._start : position] + closing
            if self._element_start is not None:
                unfinished = self._text[self._element_start : self._end]
            self._position = self._end
        self._scan = Scan(outcome, self._position, salvage, unfinished)


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
