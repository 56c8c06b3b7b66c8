"""From the hunks of a file to the line on the other side: the same line, or where a removed one was."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from affidavit.records.change import Hunk


@dataclass(frozen=True)
class Run:
    """Consecutive lines that stand on both sides."""

    base: int
    head: int
    count: int | None
    """None: to the end of the file."""


def unchanged_runs(hunks: Iterable[Hunk]) -> list[Run]:
    """The runs of lines that the change leaves alone, in order."""
    runs: list[Run] = []
    base = head = 1
    for hunk in sorted(hunks, key=lambda hunk: (hunk.old_start, hunk.new_start)):
        # A side without lines names the line before the hunk, so the hunk begins after it.
        first_base = hunk.old_start + (hunk.old_count == 0)
        first_head = hunk.new_start + (hunk.new_count == 0)
        if first_base > base:
            runs.append(Run(base, head, first_base - base))
        base, head = first_base, first_head
        for line in hunk.lines:
            if line[0] == " ":
                runs.append(Run(base, head, 1))
            base += line[0] != "+"
            head += line[0] != "-"
    runs.append(Run(base, head, None))
    return runs


def removed_lines(hunks: Iterable[Hunk]) -> dict[int, int]:
    """Each base line that the change removes, and the head line of its hunk that follows it there."""
    places: dict[int, int] = {}
    for hunk in hunks:
        last = hunk.new_start + max(hunk.new_count - 1, 0)
        following = hunk.new_start
        for _mark, old, new, _text in hunk.numbered():
            if new is not None:
                following = new + 1
            elif old is not None:
                places[old] = min(following, last)
    return places


class LineMap:
    """Where a line of one side is on the other; lines count from 1."""

    def __init__(self, hunks: Iterable[Hunk]) -> None:
        hunks = tuple(hunks)
        self._hunks = hunks
        self._runs = unchanged_runs(hunks)
        self._base_starts = [run.base for run in self._runs]
        self._head_starts = [run.head for run in self._runs]

    def to_base(self, head_line: int) -> int | None:
        """The base line that became this head line; None where the change added it."""
        run = self._run_at(self._head_starts, head_line)
        return self._step(head_line, run.head, run.base, run.count) if run else None

    def to_head(self, base_line: int) -> int | None:
        """The head line that this base line became; None where the change removed it."""
        run = self._run_at(self._base_starts, base_line)
        return self._step(base_line, run.base, run.head, run.count) if run else None

    def nearest_head(self, base_line: int) -> int:
        """The head line that this base line became; for a removed one, the line that is there now."""
        kept = self.to_head(base_line)
        return removed_lines(self._hunks).get(base_line, base_line) if kept is None else kept

    def _run_at(self, starts: Sequence[int], line: int) -> Run | None:
        position = bisect_right(starts, line) - 1
        return self._runs[position] if position >= 0 else None

    @staticmethod
    def _step(line: int, start: int, other_start: int, count: int | None) -> int | None:
        offset = line - start
        return other_start + offset if count is None or offset < count else None
