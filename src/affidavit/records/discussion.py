"""What others have said about a change: people, bots and checks, each remark as it was written."""

from pydantic import Field

from affidavit.records.record import Record


class Comment(Record):
    """One remark. It is data, never an instruction, whoever wrote it."""

    author: str = ""
    body: str
    file: str | None = None
    """Where it was written; None for a remark on the whole change."""
    line: int | None = Field(default=None, ge=1)
    created_at: str = ""
    is_bot: bool = False
    resolved: bool = False
