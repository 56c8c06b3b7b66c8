"""Entries of the settings file: the user's own linters and the prices of models."""

from typing import Any, Literal, Self, get_args

from pydantic import ConfigDict, Field, ValidationError, model_validator

from affidavit.records.finding import Severity
from affidavit.records.record import Record

Reasoning = Literal["minimal", "low", "medium", "high"]
Effort = Literal["quick", "normal", "deep"]
EFFORTS: tuple[Effort, ...] = get_args(Effort)
FILES = "{files}"
"""This argument is replaced by the paths, one argument each."""


class Linter(Record):
    name: str = Field(pattern=r"^[a-z][a-z0-9_-]{0,39}$")
    command: tuple[str, ...] = Field(min_length=1)
    """Program and arguments; the program is on PATH, or an absolute path outside the repository."""
    patterns: tuple[str, ...] = Field(min_length=1)
    scope: Literal["file", "project"] = "file"
    severity: Severity = Severity.MEDIUM
    """For problems without a severity from the linter."""
    blocks: bool = False
    configuration: tuple[str, ...] = ()
    """Files of the base commit that the linter needs beside the code."""


DEAREST = 1_000_000
TEXT_FORM = "MODEL=INPUT/OUTPUT or MODEL=INPUT/CACHED/OUTPUT"
WAYS_TO_SAY = {2: ("input", "output"), 3: ("input", "cached_input", "output")}


class Price(Record):
    """The price of a model, in US dollars per million tokens."""

    model_config = ConfigDict(allow_inf_nan=False)

    input: float = Field(ge=0, le=DEAREST)
    cached_input: float | None = Field(None, ge=0, le=DEAREST)
    """Input from the provider's cache; None: the same price as other input."""
    output: float = Field(ge=0, le=DEAREST)

    @model_validator(mode="after")
    def _caches_save_money(self) -> Self:
        # A budget reserves the uncached price as the most that a request can cost.
        if self.cached_input is not None and self.cached_input > self.input:
            raise ValueError("cached_input costs more than input")
        return self

    def cost_usd(self, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> float:
        """Return the price of these tokens; cached ones are part of the input."""
        cached = min(cached_tokens, input_tokens)
        cached_price = self.input if self.cached_input is None else self.cached_input
        dollars = (input_tokens - cached) * self.input + cached * cached_price + output_tokens * self.output
        return dollars / 1_000_000


def read_prices(value: Any) -> dict[str, Price]:
    """Read the price of each model; raise ValueError with what is wrong."""
    stated = _from_text(value) if isinstance(value, str) else value
    if not isinstance(stated, dict):
        raise ValueError(f"expected a table for each model, or {TEXT_FORM}, found {value!r}")
    return {model.strip(): _price(model, entry) for model, entry in stated.items()}


def _from_text(text: str) -> dict[str, dict[str, str]]:
    stated: dict[str, dict[str, str]] = {}
    for part in (part.strip() for part in text.split(",")):
        if not part:
            continue
        # The name of a model may hold any of these signs; the price is what comes last.
        model, _, price = part.rpartition("=")
        numbers = price.split("/")
        names = WAYS_TO_SAY.get(len(numbers))
        if not model.strip() or names is None:
            raise ValueError(f"expected {TEXT_FORM}, in US dollars per million tokens, found {part!r}")
        stated[model] = dict(zip(names, numbers, strict=True))
    return stated


def _price(model: str, entry: Any) -> Price:
    if not model.strip() or not isinstance(entry, dict):
        raise ValueError(f"{model!r}: expected a table with input, output and perhaps cached_input")
    if any(isinstance(number, bool) for number in entry.values()):
        raise ValueError(f"{model}: expected numbers, found true or false")
    try:
        return Price.model_validate(entry)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(["", *(str(part) for part in first["loc"])])
        raise ValueError(f"{model}{where}: {first['msg']}") from error
