"""A small query language: comparing a field gives a condition, as in other mappers."""

from collections.abc import Callable
from typing import Any

Row = dict[str, Any]


class Condition:
    def __init__(self, holds: Callable[[Row], bool]) -> None:
        self.holds = holds

    def __and__(self, other: "Condition") -> "Condition":
        return Condition(lambda row: self.holds(row) and other.holds(row))


class Field:
    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, value: object) -> Condition:  # type: ignore[override]
        return Condition(lambda row: row.get(self.name) == value)

    __hash__ = None  # type: ignore[assignment]
