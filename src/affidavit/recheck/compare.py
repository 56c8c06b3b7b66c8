"""Compare a report with what is derived from its inputs, field by field.

One table says what a recheck makes of each field: it is derived again, taken on somebody's word, or free. A
field that no row names is derived: a new field is proven until somebody says here why it cannot be.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from affidavit.records.report import Report

FieldClass = Literal["derived", "on its word", "free"]
FieldPath = tuple[str, ...]
MAX_SHOWN = 80


@dataclass(frozen=True)
class Row:
    """Fields of a report: `*` is any one name or position, `**` at the end is it and everything below."""

    pattern: str
    kind: FieldClass
    why: str

    def matches(self, path: FieldPath) -> bool:
        """Whether this row names the field."""
        parts = self.pattern.split(".")
        if parts[-1] == "**":
            parts = parts[:-1]
            path = path[: len(parts)]
        return len(parts) == len(path) and all(
            part in ("*", name) for part, name in zip(parts, path, strict=True)
        )


ROWS: tuple[Row, ...] = (
    Row("id", "on its word", "a random UUID"),
    Row("created_at", "on its word", "when the review was made, as a time in UTC"),
    Row("duration_ms", "free", "how long it took"),
    Row("replies.*.duration_ms", "free", "how long it took"),
    Row("inputs.replies.*.duration_ms", "free", "how long it took"),
    Row("analyser_runs.*.duration_ms", "free", "how long it took"),
    Row("analyser_runs.*.is_cached", "free", "whether an earlier result was at hand"),
    Row("inputs.replies.*.analyser_runs.*.duration_ms", "free", "how long it took"),
    Row("inputs.replies.*.analyser_runs.*.is_cached", "free", "whether an earlier result was at hand"),
    Row("usage.**", "free", "tokens and money, as the providers counted them"),
    Row("inputs.replies.*.usage.**", "free", "tokens and money, as the providers counted them"),
    Row("inputs.planner.usage.**", "free", "tokens and money, as the providers counted them"),
    Row("inputs.joiner.usage.**", "free", "tokens and money, as the providers counted them"),
    Row("inputs.reporter.usage.**", "free", "tokens and money, as the providers counted them"),
    Row("measured.**", "on its word", "the labels of the installation that made it"),
    Row("models.**", "on its word", "which models were asked"),
    Row("affidavit_version", "on its word", "which release of this minor line made it"),
    Row("prompt_version", "on its word", "which prompts the models read; derived where there were none"),
    Row("schema_version", "on its word", "which form they were asked for; derived where there were none"),
    Row("change.target", "on its word", "how the user named the change"),
    Row("change.source", "on its word", "how the change was named"),
    Row("change.repository", "on its word", "where the repository lay"),
    Row("change.request", "on its word", "which pull request it is"),
    Row("change.title", "on its word", "what its author calls it; derived where the commits do"),
    Row("change.description", "on its word", "what its author says of it; derived where the commits do"),
    Row("change.discussion.**", "on its word", "what others commented"),
    Row("change.dismissals.**", "on its word", "what people dismissed on the forge, and that they may"),
    Row("change.base.name", "on its word", "how the user named it"),
    Row("change.head.name", "on its word", "how the user named it"),
    Row("change.tip.name", "on its word", "how the user named it"),
    Row("inputs.planner.**", "on its word", "what the planner answered"),
    Row("inputs.verifier_failures.**", "on its word", "why no verifier could be asked"),
    Row("inputs.joiner.**", "on its word", "which findings the joiner says have one cause"),
    Row("inputs.judgements.**", "on its word", "what the verifiers answered"),
    Row("inputs.reporter.**", "on its word", "what the reporter answered"),
    Row("inputs.submitted_by", "on its word", "which agent handed findings in"),
    Row("inputs.dependency_quotes.**", "on its word", "what packages hold; proven where they are here"),
    Row("inputs.programs.**", "on its word", "what programs did; `recheck --run` runs them again"),
    Row("inputs.earlier.**", "on its word", "what the review before it said; the digest names that report"),
)
"""`class_in` also looks at what the report itself says of replies and settings."""


@lru_cache(maxsize=100_000)
def class_of(path: FieldPath) -> FieldClass:
    """Return what a recheck makes of a field."""
    return next((row.kind for row in ROWS if row.matches(path)), "derived")


def class_compared(content: Mapping[str, Any], path: FieldPath) -> FieldClass:
    """Return the class by which a field of this report is compared.

    Without a model, everything about models is derived: there is none. Title and description are derived
    where they come from the commits. The number of answers is derived from what was asked.
    """
    kind = class_of(path)
    if path[0] == "usage" and not content["models"]:
        return "derived"
    if kind != "on its word":
        return kind
    if len(path) == WHOLE_ANSWERS.get(path[:2]):
        return "derived"
    if path[0] in OF_MODELS or path[:2] in OF_MODELS_IN_INPUTS:
        return kind if content["models"] else "derived"
    if path in (("change", "title"), ("change", "description")):
        return "derived" if content["change"][f"{path[1]}_from"] == "commits" else kind
    return kind


OF_MODELS = ("prompt_version", "schema_version")
WHOLE_ANSWERS: dict[FieldPath, int] = {("inputs", "joiner"): 2, ("inputs", "judgements"): 3}
"""How long the path of an answer is where only one of two reports has it."""
OF_MODELS_IN_INPUTS = tuple(
    ("inputs", name) for name in ("planner", "verifier_failures", "joiner", "judgements", "reporter")
)


def class_in(content: Mapping[str, Any], path: FieldPath) -> FieldClass:
    """Return the class of a field as a user would name it, by who made the reply or chose the setting."""
    if path[:2] == ("inputs", "replies") and len(path) > 2:
        reply = content["inputs"]["replies"][int(path[2])]
        if reply["kind"] != "mechanical" and class_of(path) == "derived":
            return "on its word"
    if path[0] == "settings" and len(path) > 1:
        origin = content["settings"].get("origins", {}).get(path[1], "base")
        return "derived" if origin == "base" else "on its word"
    return class_compared(content, path)


class _Absent:
    """Stands for a missing field: equal to nothing that a report can say."""

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
        """The report lacks a field that every report has, whatever its class."""
        return self.recorded is ABSENT and not self.path[-1].isdecimal()

    def __str__(self) -> str:
        """Say in one line where it is and what both sides say."""
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
    """Return the fields that the report has itself: one that is missing is not one with its default."""
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
