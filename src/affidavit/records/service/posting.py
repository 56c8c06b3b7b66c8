"""What became of posting a review on its pull or merge request."""

from typing import Literal

from affidavit.records.record import Record

PostingState = Literal["waiting", "posted", "failed"]


class Posting(Record):
    """The last time that a review was posted, or is to be."""

    review_id: str
    number: int
    """Counts how often it was asked for; each time is one durable piece of work."""
    state: PostingState
    asked_by: str
    asked_at: str
    finished_at: str | None = None
    reason: str | None = None
    """Why it failed, or, while it waits, why the last try did not go well."""
    actions: int = 0
    """How much was written or changed on the forge."""
    notes: tuple[str, ...] = ()
    """What the forge did not allow, and what was done instead."""
