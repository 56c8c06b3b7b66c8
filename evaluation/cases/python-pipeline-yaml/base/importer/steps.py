"""The steps that a pipeline may use."""

from collections.abc import Callable

Row = dict[str, str]


def strip(row: Row) -> Row:
    return {key: value.strip() for key, value in row.items()}


def lower_keys(row: Row) -> Row:
    return {key.lower(): value for key, value in row.items()}


STEPS: dict[str, Callable[[Row], Row]] = {"strip": strip, "lower_keys": lower_keys}
