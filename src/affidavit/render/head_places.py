"""Say where at head a finding is to be shown, for formats that know one side of a change only."""

from dataclasses import dataclass

from affidavit.diff.line_map import LineMap
from affidavit.records.change import Change
from affidavit.records.finding import Finding

_LAST_LINE = 2**31 - 1
"""The largest line number that readers of these formats can hold."""


@dataclass(frozen=True)
class HeadPlace:
    """A path and its first and last line. `is_exact` is False where the code stands at base only."""

    path: str
    first: int
    last: int
    is_exact: bool = True


def head_place(finding: Finding, change: Change) -> HeadPlace:
    """The finding's place at head; what the change removed is placed where it stood."""
    first, last = finding.lines
    file = change.file_at(finding.file, "base") if finding.side == "base" else None
    if file is None:
        return _bounded(finding.file, first, last, is_exact=finding.side == "head")
    if file.head_path is None:
        return _bounded(file.path, first, last, is_exact=False)
    at = LineMap(file.hunks).nearest_head(first)
    return _bounded(file.head_path, at, at, is_exact=False)


def _bounded(path: str, first: int, last: int, *, is_exact: bool) -> HeadPlace:
    start = min(max(first, 1), _LAST_LINE)
    return HeadPlace(path=path, first=start, last=min(max(last, start), _LAST_LINE), is_exact=is_exact)
