"""Read and check the values of settings."""

from collections.abc import Callable
from typing import Annotated, Any, get_args

from pydantic import ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from affidavit.contract.vocabulary import UnknownWordError, read_focus, read_severity
from affidavit.ports import SPECIALISTS, Role
from affidavit.records.finding import Category, Severity
from affidavit.records.settings_entries import Effort, Linter, Reasoning, read_prices

ROLES: tuple[Role, ...] = tuple(role for role in get_args(Role) if role not in ("joiner", *SPECIALISTS[1:]))
"""Roles with settings of their own; the joiner has the verifier's, further specialists the first one's."""


Read = Callable[[Any], Any]


def _reader(kind: Any, expected: str) -> Read:
    adapter = TypeAdapter(kind, config=ConfigDict(defer_build=True))

    def read(value: Any) -> Any:
        try:
            # Pydantic reads true as 1.
            if isinstance(value, bool) and kind is not bool:
                raise ValueError(value)
            return adapter.validate_python(value)
        except ValueError as error:
            raise ValueError(f"expected {expected}, found {value!r}") from error

    return read


def _whole_number(most: int, what: str = "a whole number") -> Read:
    return _reader(Annotated[int, Field(ge=1, le=most)], f"{what} from 1 to {most}")


def _number_between(least: float, most: float) -> Read:
    return _reader(Annotated[float, Field(ge=least, le=most)], f"a number from {least:.10g} to {most:.10g}")


_text = _reader(str, "text")
_texts = _reader(tuple[str, ...], "a list of texts")
_truth = _reader(bool, "true or false")
_model_name = _reader(Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)], "PROVIDER:NAME")
LINTERS = TypeAdapter(tuple[Linter, ...], config=ConfigDict(defer_build=True))


def _severity(value: Any) -> Severity:
    return read_severity(_text(value))


def _gate(value: Any) -> Severity | None:
    if _text(value).strip().lower() == "never":
        return None
    try:
        return read_severity(value)
    except UnknownWordError as error:
        raise ValueError(f"{error}, or never") from error


def _words(value: Any) -> tuple[str, ...]:
    texts = [word.strip() for word in value.split(",")] if isinstance(value, str) else _texts(value)
    return tuple(filter(None, texts))


def _model_names(value: Any) -> str:
    names = _words(",".join(_words(value)))
    if not 0 < len(set(names)) == len(names) <= len(SPECIALISTS):
        raise ValueError(f"expected PROVIDER:NAME, up to {len(SPECIALISTS)} different ones, found {value!r}")
    return ",".join(names)


def _focus(value: Any) -> frozenset[Category]:
    return read_focus(_words(value))


def _linters(value: Any) -> tuple[Linter, ...]:
    try:
        linters = LINTERS.validate_python(value)
    except ValidationError as error:
        wrong = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        raise ValueError("; ".join(wrong)) from error
    names = [linter.name for linter in linters]
    if len(set(names)) < len(names):
        raise ValueError(f"the same name twice among {', '.join(names)}")
    return linters


MODEL_READERS: dict[str, Read] = {
    "model": _model_name,
    **{f"{role}_model": _model_name for role in ROLES},
    "specialist_model": _model_names,
    "base_url": _text,
    **{f"{role}_base_url": _text for role in ROLES},
    **{f"{role}_temperature": _number_between(0, 2) for role in ROLES},
    **{f"{role}_reasoning": _reader(Reasoning, "minimal, low, medium or high") for role in ROLES},
    **{f"{role}_max_tokens": _whole_number(10_000_000) for role in ROLES},
    "model_timeout_seconds": _number_between(0.001, 86_400),
    "budget_usd": _number_between(0, 1_000_000),
    "budget_tokens": _whole_number(10**12),
    "prices_usd_per_million": read_prices,
}
READERS: dict[str, Read] = {
    "fail_on": _gate,
    "severity_threshold": _severity,
    "focus": _focus,
    "include_style": _truth,
    "nits": _truth,
    "fold": _gate,
    "include": _words,
    "exclude": _words,
    "analysers_off": _words,
    "rules_off": _words,
    "analyser_timeout_seconds": _whole_number(86_400, "seconds"),
    "whole": _truth,
    "linters": _linters,
    "allow_linters": _truth,
    "language_servers": _truth,
    "typescript_server": _text,
    "run": _truth,
    "run_seconds": _whole_number(86_400, "seconds"),
    "run_at_once": _whole_number(256),
    "max_iterations": _whole_number(1_000),
    "effort": _reader(Effort, "quick, normal or deep"),
    **MODEL_READERS,
}
"""All settings: the same name in files, flags and, in capitals, the environment."""
