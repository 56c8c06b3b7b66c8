"""Which lines of a change a forge takes a comment on: a finding in, its place in the diff out."""

from dataclasses import dataclass

from affidavit.records.change import Change, FileChange, Hunk
from affidavit.records.finding import Finding
from affidavit.records.record import Side


@dataclass(frozen=True)
class InlinePlace:
    """A line of the diff, or several of one hunk; the last one on both sides, as far as it is there."""

    path: str
    old_path: str
    side: Side
    line: int
    start_line: int | None
    old_line: int | None
    new_line: int | None


def inline_place(finding: Finding, change: Change) -> InlinePlace | None:
    """Where the finding can be commented on; None where the diff does not show its line."""
    file = change.file_at(finding.file, finding.side)
    if file is None or file.is_binary or file.is_partial:
        return None
    first, last = finding.lines
    for hunk in file.hunks:
        if not hunk.has_changes:
            # The forge does not show it.
            continue
        shown = _lines(hunk, finding.side)
        if first in shown:
            # A range must lie within one hunk; of a longer one its first line is enough.
            end = last if last in shown else first
            old, new = shown[end]
            return InlinePlace(
                path=file.path,
                old_path=_old_path(file),
                side=finding.side,
                line=end,
                start_line=first if end > first else None,
                old_line=old,
                new_line=new,
            )
    return None


def _lines(hunk: Hunk, side: Side) -> dict[int, tuple[int | None, int | None]]:
    """The hunk's lines on one side, each with its number on both."""
    found: dict[int, tuple[int | None, int | None]] = {}
    for _, old, new, _ in hunk.numbered():
        number = old if side == "base" else new
        if number is not None:
            found[number] = (old, new)
    return found


def _old_path(file: FileChange) -> str:
    return file.old_path or file.path
