"""Compare a report with what is derived from its inputs, field by field.

A field that no list below names is derived, and must be equal: a new field is proven until a line here says
why it cannot be. In a pattern `*` is any position of a list, and `**` the field and everything below it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from affidavit.records.report import Report

FieldClass = Literal["derived", "not verified", "free"]
FieldPath = tuple[str, ...]
MAX_SHOWN = 80


def _any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    escaped = "|".join(map(re.escape, patterns))
    return re.compile(escaped.replace(r"\.\*\*", r"(?:\..*)?").replace(r"\*", r"\d+"), re.DOTALL)


# How long the review took, what came from caches, and what providers counted.
_FREE = _any_of(
    (
        "duration_ms",
        "replies.*.duration_ms",
        "inputs.replies.*.duration_ms",
        "analyser_runs.*.duration_ms",
        "analyser_runs.*.is_cached",
        "inputs.replies.*.analyser_runs.*.duration_ms",
        "inputs.replies.*.analyser_runs.*.is_cached",
        "usage.**",
        "inputs.replies.*.usage.**",
        "inputs.planner.usage.**",
        "inputs.joiner.usage.**",
        "inputs.reporter.usage.**",
    )
)
_NOT_VERIFIED = _any_of(
    (
        "id",  # a random UUID
        "created_at",
        "measured.**",  # the labels of the installation that made it
        "models.**",
        "affidavit_version",  # which release of this minor line made it
        "prompt_version",  # derived where no model was asked, as is the schema
        "schema_version",
        "change.target",  # how the user named the change
        "change.source",
        "change.repository",  # where the repository lay
        "change.request",
        "change.title",  # derived where it comes from the commits, as is the description
        "change.description",
        "change.discussion.**",
        "change.dismissals.**",  # that these people may dismiss
        "change.base.name",
        "change.head.name",
        "change.tip.name",
        "inputs.planner.**",  # what models answered
        "inputs.verifier_failures.**",
        "inputs.joiner.**",
        "inputs.judgements.**",
        "inputs.reporter.**",
        "inputs.submitted_by",  # which agent handed findings in
        "inputs.dependency_quotes.**",  # proven where the packages are here
        "inputs.programs.**",  # `recheck --run` runs them again
        "inputs.earlier.**",  # the digest names that report
    )
)
OF_MODELS = ("prompt_version", "schema_version")
OF_MODELS_IN_INPUTS = tuple(
    ("inputs", name) for name in ("planner", "verifier_failures", "joiner", "judgements", "reporter")
)
WHOLE_ANSWERS: dict[FieldPath, int] = {("inputs", "joiner"): 2, ("inputs", "judgements"): 3}
"""The length of an answer's path if only one of two reports has it."""


@lru_cache(maxsize=100_000)
def class_of(path: FieldPath) -> FieldClass:
    """Return the class of a field, independent of the rest of the report."""
    name = ".".join(path)
    if _FREE.fullmatch(name):
        return "free"
    return "not verified" if _NOT_VERIFIED.fullmatch(name) else "derived"


def class_compared(content: Mapping[str, Any], path: FieldPath) -> FieldClass:
    """Return the class by which a field of this report is compared.

    Without a model, everything about models is derived: there is none. Title and description are derived
    where they come from the commits. The number of answers is derived from what was asked.
    """
    kind = class_of(path)
    if path[0] == "usage" and not content["models"]:
        return "derived"
    if kind != "not verified":
        return kind
    if len(path) == WHOLE_ANSWERS.get(path[:2]):
        return "derived"
    if path[0] in OF_MODELS or path[:2] in OF_MODELS_IN_INPUTS:
        return kind if content["models"] else "derived"
    if path in (("change", "title"), ("change", "description")):
        return "derived" if content["change"][f"{path[1]}_from"] == "commits" else kind
    return kind


class _Absent:
    """Marks a missing field: it equals no value of a report."""

    def __repr__(self) -> str:
        return "nothing"


ABSENT = _Absent()


@dataclass(frozen=True)
class Difference:
    """A field whose recorded value is not the derived one."""

    path: FieldPath
    recorded: Any
    derived: Any

    @property
    def is_missing(self) -> bool:
        """Check whether the report lacks a field that every report has."""
        return self.recorded is ABSENT and not self.path[-1].isdecimal()

    def __str__(self) -> str:
        """Say in one line where the field is and what both reports have."""
        place = ".".join(self.path)
        return f"{place}: the report says {_short(self.recorded)}, derived again it is {_short(self.derived)}"


def differences(recorded: Report, derived: Report) -> list[Difference]:
    """List every derived field in which the two reports differ."""
    content = recorded.model_dump(mode="json")
    return [
        one
        for one in differing(as_written(recorded), derived.model_dump(mode="json"))
        if one.is_missing or class_compared(content, one.path) == "derived"
    ]


def as_written(report: Report) -> Any:
    """Return the fields that the report has: a missing field differs from one with its default."""
    return report.model_dump(mode="json", exclude_unset=True)


def differing(recorded: Any, derived: Any, path: FieldPath = ()) -> Iterator[Difference]:
    """Walk through both and yield every value that differs."""
    if isinstance(recorded, dict) and isinstance(derived, dict):
        for name in dict.fromkeys([*recorded, *derived]):
            yield from differing(recorded.get(name, ABSENT), derived.get(name, ABSENT), (*path, name))
    elif isinstance(recorded, list) and isinstance(derived, list):
        for number in range(max(len(recorded), len(derived))):
            one = recorded[number] if number < len(recorded) else ABSENT
            other = derived[number] if number < len(derived) else ABSENT
            yield from differing(one, other, (*path, str(number)))
    elif type(recorded) is not type(derived) or recorded != derived:
        # `true` is not 1, and neither is 1.0: two readers would read them differently.
        yield Difference(path, recorded, derived)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"
