"""Read the fields of a JSON object by the contract's rules, noting what was coerced and what is wrong."""

import re
import reprlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from affidavit.contract.reply_text import json_type
from affidavit.records.diagnostics import Diagnostic, Reason

Kind = TypeVar("Kind")
MAX_LINE = 2**31 - 1
_INTEGRAL = re.compile(r"[+-]?[0-9]{1,18}")
_MAX_NAME_LENGTH = 120
_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = _REPR.maxlong = 60
_REPR.maxdict = _REPR.maxlist = _REPR.maxlevel = 3


def show_value(value: Any) -> str:
    """Quote a value for a diagnostic, however large it is."""
    return _REPR.repr(value)


def shorten(name: str) -> str:
    """Shorten a name from a reply, which every diagnostic repeats."""
    return name if len(name) <= _MAX_NAME_LENGTH else name[: _MAX_NAME_LENGTH - 1] + "…"


@dataclass
class Notes:
    """The notes on one finding, or on the top level where `index` is None."""

    index: int | None = None
    id: str | None = None
    diagnostics: list[Diagnostic] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)
    """The diagnostics that make the finding, or the reply, invalid."""

    def note(self, code: Reason, name: str | None, detail: str, expected: str | None = None) -> Diagnostic:
        """Note something that does not make it invalid."""
        shown = None if name is None else shorten(name)
        noted = Diagnostic(
            code=code, detail=detail, index=self.index, id=self.id, field=shown, expected=expected
        )
        self.diagnostics.append(noted)
        return noted

    def problem(self, code: Reason, name: str | None, detail: str, expected: str | None = None) -> None:
        """Note why it is invalid."""
        self.problems.append(self.note(code, name, detail, expected))

    def coerced(self, name: str, detail: str) -> None:
        """Note that a value was not taken as written."""
        self.note(Reason.COERCION_APPLIED, name, detail)


class FieldReader:
    """A JSON object whose fields are taken one by one; fields not taken are unknown."""

    def __init__(self, source: Mapping[str, Any], notes: Notes, prefix: str = "") -> None:
        self._source = source
        self._notes = notes
        self._prefix = prefix
        self._taken: set[str] = set()

    def text(self, name: str, *, is_required: bool = False, is_trimmed: bool = True) -> str | None:
        """Take a string; one that is required must not be blank."""
        value = self._typed(name, str, "a string", is_required=is_required)
        return self._trim(name, value) if value is not None and is_trimmed else value

    def choice(self, name: str, allowed: Collection[str], *, is_required: bool = False) -> str | None:
        """Take one word out of a fixed set."""
        value = self._take(name, is_required=is_required)
        if value is None:
            return None
        expected = "one of " + ", ".join(allowed)
        if not isinstance(value, str):
            self._problem(Reason.INVALID_ENUM_VALUE, name, f"is {json_type(value)}", expected)
            return None
        word = self._trim(name, value)
        if word not in allowed:
            self._problem(Reason.INVALID_ENUM_VALUE, name, f"is {show_value(word)}", expected)
            return None
        return word

    def line(self, name: str, *, is_required: bool = False) -> int | None:
        """Take a line number."""
        value = self._take(name, is_required=is_required)
        return None if value is None else self._line_of(name, value)

    def line_range(self, name: str) -> tuple[int, int] | None:
        """Take two line numbers, the first not after the second."""
        value = self._take(name, is_required=True)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) != 2:
            self._problem(
                Reason.INVALID_TYPE, name, f"is {show_value(value)}", "an array of two line numbers"
            )
            return None
        first, last = self._line_of(name, value[0]), self._line_of(name, value[1])
        if first is None or last is None:
            return None
        if first > last:
            self.out_of_order(name, f"runs from {first} back to {last}")
            return None
        return first, last

    def flag(self, name: str, *, is_required: bool = False) -> bool | None:
        """Take true or false, and nothing similar."""
        return self._typed(name, bool, "true or false", is_required=is_required)

    def object(self, name: str, *, is_required: bool = False) -> "FieldReader | None":
        """Return a reader of the object in a field."""
        value = self._typed(name, dict, "an object", is_required=is_required)
        return None if value is None else FieldReader(value, self._notes, f"{self._prefix}{name}.")

    def raw(self, name: str) -> Any:
        """Take a field unread; None if it is absent."""
        self._taken.add(name)
        return self._source.get(name)

    def left_out(self, name: str, why: str) -> None:
        """Note that an optional part is ignored, which does not make the finding invalid."""
        self._notes.note(Reason.INVALID_TYPE, self._prefix + name, f"left out: {why}")

    def objects(self, name: str) -> list["FieldReader"]:
        """Return a reader for each object in a list."""
        readers = []
        for position, value in enumerate(self._typed(name, list, "an array") or []):
            place = f"{name}[{position}]"
            if isinstance(value, dict):
                readers.append(FieldReader(value, self._notes, f"{self._prefix}{place}."))
            else:
                self._wrong_type(place, value, "an object")
        return readers

    def texts(self, name: str) -> list[str]:
        """Take a list of strings that are not blank."""
        texts = []
        for position, value in enumerate(self._typed(name, list, "an array") or []):
            place = f"{name}[{position}]"
            if not isinstance(value, str) or not value.strip():
                self._wrong_type(place, value, "a string that is not empty")
            else:
                texts.append(value)
        return texts

    @property
    def has_problems(self) -> bool:
        """Check whether anything is wrong with the finding, in this object or elsewhere."""
        return bool(self._notes.problems)

    def out_of_order(self, name: str, detail: str) -> None:
        """Note that a last line comes before its first."""
        self._problem(Reason.INVALID_LINE_RANGE, name, detail, "a last line not before the first")

    def refuse(self, name: str, detail: str, expected: str) -> None:
        """Note that a value turned out to be invalid."""
        self._problem(Reason.INVALID_TYPE, name, detail, expected)

    def changed(self, name: str, detail: str) -> None:
        """Note that a value was changed."""
        self._notes.coerced(self._prefix + name, detail)

    def check_unknown(self, *, is_lenient: bool) -> None:
        """Report every field that was not taken: a note if such fields may be ignored, else a problem."""
        for name in self._source:
            if name in self._taken:
                continue
            if is_lenient:
                self._notes.note(Reason.UNKNOWN_FIELD, self._prefix + name, "unknown field, ignored")
            else:
                self._problem(Reason.UNKNOWN_FIELD, name, "is not a field of this schema version")

    def _typed(self, name: str, kind: type[Kind], expected: str, *, is_required: bool = False) -> Kind | None:
        value = self._take(name, is_required=is_required)
        if value is None or isinstance(value, kind):
            return value
        self._wrong_type(name, value, expected)
        return None

    def _take(self, name: str, *, is_required: bool) -> Any:
        value = self.raw(name)
        is_blank = isinstance(value, str) and not value.strip()
        if is_required and (value is None or is_blank):
            what = "is empty" if is_blank else "is null" if name in self._source else "is missing"
            self._problem(Reason.MISSING_REQUIRED_FIELD, name, what, "a value")
            return None
        if value is None and name in self._source:
            self.changed(name, "null read as absent")
        return value

    def _trim(self, name: str, value: str) -> str:
        trimmed = value.strip()
        if trimmed != value:
            self.changed(name, "white space around it removed")
        return trimmed

    def _line_of(self, name: str, value: Any) -> int | None:
        number = self._integer_of(name, value)
        if number is not None and not 1 <= number <= MAX_LINE:
            self._problem(
                Reason.INVALID_LINE_RANGE, name, f"is {show_value(number)}", "a line number from 1 up"
            )
            return None
        return number

    def _integer_of(self, name: str, value: Any) -> int | None:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, float) and value.is_integer():
            self.changed(name, f"{show_value(value)} read as an integer")
            return int(value)
        if isinstance(value, str) and _INTEGRAL.fullmatch(value.strip()):
            self.changed(name, f"{show_value(value)} read as an integer")
            return int(value)
        self._problem(Reason.INVALID_TYPE, name, f"is {show_value(value)}", "an integer")
        return None

    def _wrong_type(self, name: str, value: Any, expected: str) -> None:
        self._problem(Reason.INVALID_TYPE, name, f"is {show_value(value)}", expected)

    def _problem(self, code: Reason, name: str, detail: str, expected: str | None = None) -> None:
        place = self._prefix + name
        self._notes.problem(code, place, f"`{shorten(place)}` {detail}", expected)
