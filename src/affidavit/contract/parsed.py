"""What the parser makes of one reply."""

from typing import Any, Literal

from affidavit.records.diagnostics import Code, Diagnostic
from affidavit.records.finding import ReviewResult
from affidavit.records.record import Record

ReplyState = Literal["clean", "accepted", "all_dropped", "rejected"]


class DroppedFinding(Record):
    """A finding that does not stand. `code` is its main reason; the diagnostics have them all."""

    index: int
    raw: Any
    """The finding as it was handed in; for one that was cut off, its text so far."""
    code: Code
    detail: str = ""


class ParsedReply(Record):
    """A reply after the contract. Only `clean` means that nothing was found."""

    state: ReplyState
    result: ReviewResult | None = None
    """None where the reply was rejected; then no finding was looked at, and none is listed as dropped."""
    indexes: tuple[int, ...] = ()
    """For each finding of the result, its index in the reply."""
    dropped: tuple[DroppedFinding, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    is_truncated: bool = False
