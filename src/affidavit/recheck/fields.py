"""What a recheck makes of every field of a report: derived again, taken on somebody's word, or free.

The one table that the recheck, the documents and the property test read. A field that no row names is
derived: a new field is proven until somebody says here why it cannot be.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

FieldClass = Literal["derived", "on its word", "free"]
FieldPath = tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """Fields of a report: `*` is any one name or position, `**` at the end is it and everything below."""

    pattern: str
    kind: FieldClass
    why: str

    def matches(self, path: FieldPath) -> bool:
        """Whether this row speaks of the field."""
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
    Row("report_version", "on its word", "which fields it can have; `additions.py` has the table"),
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
"""Beside these, by what stands in the report itself: `class_in` has the two kinds."""


@lru_cache(maxsize=100_000)
def class_of(path: FieldPath) -> FieldClass:
    """What a recheck makes of a field; what no row names is derived."""
    return next((row.kind for row in ROWS if row.matches(path)), "derived")


def class_compared(content: Mapping[str, Any], path: FieldPath) -> FieldClass:
    """The class by which a field of this report is compared with what is derived.

    Where no model was asked, what is said of models is derived: nothing. Where the words of a change are
    those of its commits, they are read there. And there are as many answers as were asked for.
    """
    kind = class_of(path)
    if path[0] == "usage" and not content["models"]:
        return "derived"
    if kind != "on its word":
        return kind
    if len(path) == WHOLE_ANSWERS.get(path[:2]):
        # What was answered is on its word; an answer more or less than was asked for is not.
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
    """The class of a field of this report.

    A reply is on its word where no machine made it, and a setting where a flag, the environment or a file
    that the user named has chosen it.
    """
    if path[:2] == ("inputs", "replies") and len(path) > 2:
        reply = content["inputs"]["replies"][int(path[2])]
        if reply["kind"] != "mechanical" and class_of(path) == "derived":
            return "on its word"
    if path[0] == "settings" and len(path) > 1:
        origin = content["settings"].get("origins", {}).get(path[1], "base")
        return "derived" if origin == "base" else "on its word"
    return class_compared(content, path)
