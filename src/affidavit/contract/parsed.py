"""What the parser makes of one reply."""

from typing import Any, Literal

from affidavit.records.diagnostics import Diagnostic, Reason
from affidavit.records.finding import ReviewResult
from affidavit.records.record import Record

ReplyState = Literal["clean", "accepted", "all_dropped", "rejected"]


class DroppedFinding(Record):
    """A finding that is not valid. `code` is the main reason; the diagnostics have all of them."""

    index: int
    raw: Any
    """The finding as it was handed in; for one that was cut off, its text so far."""
    code: Reason
    detail: str = ""


class ParsedReply(Record):
    """A reply after the contract. Only `clean` means that nothing was found."""

    state: ReplyState
    result: ReviewResult | None = None
    """None where the reply was rejected; then no finding was read, and none is listed as dropped."""
    indexes: tuple[int, ...] = ()
    """For each finding of the result, its index in the reply."""
    dropped: tuple[DroppedFinding, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    is_truncated: bool = False
