"""What a specialist really read while it looked: one record for each call of a tool."""

from affidavit.records.record import Record


class ToolUse(Record):
    """One call that was answered: which files its answer showed, and where it searched."""

    tool: str
    read: tuple[str, ...] = ()
    """Files of which the answer held something."""
    searched: tuple[str, ...] = ()
    """Files, folders and globs to which a search was confined, whatever it found."""
