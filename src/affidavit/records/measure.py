"""What was measured, with the interval that says how well it is known."""

from typing import Literal

from affidavit.records.record import Record

Dimension = Literal["specialist", "category", "severity", "model", "prompt_version", "month"]


class Interval(Record):
    """An estimate and the range that its 95% interval spans."""

    estimate: float
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        """For a difference: chance alone hardly makes one this large."""
        return self.low > 0 or self.high < 0


class Rate(Record):
    """`count` of `n`, with the 95% interval of the share (Wilson)."""

    count: int
    n: int
    share: float
    low: float
    high: float
