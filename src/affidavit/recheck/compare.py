"""Compare two reports whole, field by field: what must be equal and is not comes out, with its path."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from affidavit.recheck.additions import is_later_than
from affidavit.recheck.fields import FieldPath, class_compared
from affidavit.records.report import Report

MAX_SHOWN = 80


class _Absent:
    """What stands where there is no such field: equal to nothing that a report can say."""

    def __repr__(self) -> str:
        return "nothing"


ABSENT = _Absent()


@dataclass(frozen=True)
class Difference:
    """A derived field that the report has otherwise than it comes out."""

    path: FieldPath
    recorded: Any
    derived: Any

    @property
    def is_missing(self) -> bool:
        """The report lacks a field that whoever wrote it had, whatever class it is of."""
        return self.recorded is ABSENT and not self.path[-1].isdecimal()

    def __str__(self) -> str:
        """One line: where, what the report says, what comes out."""
        place = ".".join(self.path)
        return f"{place}: the report says {_short(self.recorded)}, derived again it is {_short(self.derived)}"


def differences(recorded: Report, derived: Report) -> list[Difference]:
    """Every derived field in which the two reports differ."""
    content = recorded.model_dump(mode="json")
    # A field that is not there is no field with its usual value: whoever wrote the report had it.
    written = recorded.model_dump(mode="json", exclude_unset=True)
    return [
        one
        for one in _differing((), written, derived.model_dump(mode="json"))
        if (one.is_missing or class_compared(content, one.path) == "derived")
        and not (is_later_than(recorded.report_version, one.path) and _lacks(written, one.path))
    ]


def _lacks(written: Any, path: FieldPath) -> bool:
    """Whether a record as it was written has no such field."""
    for name in path:
        if isinstance(written, list):
            if int(name) >= len(written):
                return True
            written = written[int(name)]
        elif not isinstance(written, dict) or name not in written:
            return True
        else:
            written = written[name]
    return False


def _differing(path: FieldPath, recorded: Any, derived: Any) -> Iterator[Difference]:
    if isinstance(recorded, dict) and isinstance(derived, dict):
        for name in dict.fromkeys([*recorded, *derived]):
            yield from _differing((*path, name), recorded.get(name, ABSENT), derived.get(name, ABSENT))
    elif isinstance(recorded, list) and isinstance(derived, list):
        for number in range(max(len(recorded), len(derived))):
            one = recorded[number] if number < len(recorded) else ABSENT
            other = derived[number] if number < len(derived) else ABSENT
            yield from _differing((*path, str(number)), one, other)
    elif type(recorded) is not type(derived) or recorded != derived:
        # `true` is no 1, and neither is 1.0: two readers would read them differently.
        yield Difference(path, recorded, derived)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"
