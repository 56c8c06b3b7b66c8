"""Read and check the values of settings."""

import math
from collections.abc import Callable
from typing import Any, get_args

from pydantic import ValidationError

from affidavit.contract.vocabulary import UnknownWordError, read_focus, read_severity
from affidavit.ports import Role
from affidavit.records.finding import Category, Severity
from affidavit.records.settings_entries import Linter, read_prices

ROLES: tuple[Role, ...] = tuple(role for role in get_args(Role) if role != "joiner")
"""Those that the user may choose a model for; the joiner has the verifier's."""


def _severity(value: Any) -> Severity:
    return read_severity(_text(value))


def _gate(value: Any) -> Severity | None:
    if _text(value).strip().lower() == "never":
        return None
    try:
        return read_severity(_text(value))
    except UnknownWordError as error:
        raise ValueError(f"{error}, or never") from error


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected text, found {value!r}")
    return value


def _words(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [word.strip() for word in value.split(",")]
    if not isinstance(value, list | tuple) or not all(isinstance(word, str) for word in value):
        raise ValueError(f"expected a list of texts, found {value!r}")
    return tuple(word for word in value if word)


def _linters(value: Any) -> tuple[Linter, ...]:
    if not isinstance(value, list):
        raise ValueError("expected [[linters]] tables")
    try:
        linters = tuple(Linter.model_validate(entry) for entry in value)
    except ValidationError as error:
        wrong = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        raise ValueError("; ".join(wrong)) from error
    names = [linter.name for linter in linters]
    if len(set(names)) < len(names):
        raise ValueError(f"the same name twice among {', '.join(names)}")
    return linters


def _focus(value: Any) -> frozenset[Category]:
    return read_focus(_words(value))


def _truth(value: Any) -> bool:
    words = {
        "1": True,
        "true": True,
        "yes": True,
        "on": True,
        "0": False,
        "false": False,
        "no": False,
        "off": False,
    }
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in words:
        return words[value.lower()]
    raise ValueError(f"expected true or false, found {value!r}")


def _seconds(value: Any) -> int:
    try:
        seconds = int(value) if not isinstance(value, bool) else 0
    except (TypeError, ValueError):
        seconds = 0
    if not 1 <= seconds <= 86_400:
        raise ValueError(f"expected seconds from 1 to 86400, found {value!r}")
    return seconds


def _number_between(least: float, most: float) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        try:
            number = float(value) if isinstance(value, int | float | str) else math.nan
        except (ValueError, OverflowError):
            number = math.nan
        if isinstance(value, bool) or not least <= number <= most:
            raise ValueError(f"expected a number from {least:.10g} to {most:.10g}, found {value!r}")
        return number

    return read


def _whole_number(most: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        try:
            number = int(value) if isinstance(value, int | str) and not isinstance(value, bool) else 0
        except ValueError:
            number = 0
        if not 1 <= number <= most:
            raise ValueError(f"expected a whole number from 1 to {most}, found {value!r}")
        return number

    return read


def _model_name(value: Any) -> str:
    name = _text(value).strip()
    if not name:
        raise ValueError("expected PROVIDER:NAME, found nothing")
    return name


MODEL_READERS: dict[str, Callable[[Any], Any]] = {
    "model": _model_name,
    **{f"{role}_model": _model_name for role in ROLES},
    "base_url": _text,
    **{f"{role}_base_url": _text for role in ROLES},
    **{f"{role}_temperature": _number_between(0, 2) for role in ROLES},
    **{f"{role}_max_tokens": _whole_number(10_000_000) for role in ROLES},
    "model_timeout_seconds": _number_between(0.001, 86_400),
    "budget_usd": _number_between(0, 1_000_000),
    "budget_tokens": _whole_number(10**12),
    "prices_usd_per_million": read_prices,
}
READERS: dict[str, Callable[[Any], Any]] = {
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
    "analyser_timeout_seconds": _seconds,
    "linters": _linters,
    "allow_linters": _truth,
    "language_servers": _truth,
    "typescript_server": _text,
    "run": _truth,
    "run_seconds": _seconds,
    "run_at_once": _whole_number(256),
    "max_iterations": _whole_number(1_000),
    **MODEL_READERS,
}
"""The one list of settings: the same name in files, in flags and, in capitals, in the environment."""
