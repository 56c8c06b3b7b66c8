"""What became of each commit of a sweep, kept a line a commit so that a sweep can be stopped and resumed."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.sweep.table import Shown


@dataclass(frozen=True)
class Reviewed:
    """What became of one commit."""

    repository: str
    commit: str
    state: str
    """`whole`, `in part`, `empty`, or why there is no review."""
    seconds: float
    files: int = 0
    examined: int | None = None
    """Of the files, those that a specialist read, whole or in part; None: not counted then."""
    shown: Sequence[Shown] = ()
    gaps: Sequence[str] = ()
    revision: str = ""
    """The commit of Affidavit that reviewed it, where that is known."""

    @property
    def key(self) -> tuple[str, str]:
        """What makes it the same commit in the next sweep."""
        return self.repository, self.commit

    @property
    def is_done(self) -> bool:
        """There was a review, whole or not, or nothing to review."""
        return self.state in ("whole", "in part", "empty")


def read_log(log: Path) -> list[Reviewed]:
    """What was reviewed before, each commit once; the last review of it that was done counts."""
    lines = log.read_text(encoding="utf-8").splitlines() if log.is_file() else []
    found: dict[tuple[str, str], Reviewed] = {}
    for row in (_from_log(json.loads(line)) for line in lines):
        found[row.key] = latest(found.get(row.key), row)
    return list(found.values())


def latest(before: Reviewed | None, row: Reviewed) -> Reviewed:
    """The later row, unless it is no review and the earlier one is."""
    return before if before is not None and before.is_done and not row.is_done else row


def _from_log(row: dict[str, Any]) -> Reviewed:
    return Reviewed(**{**row, "shown": [Shown(**shown) for shown in row["shown"]]})


def write_log(log: Path, rows: Sequence[Reviewed]) -> None:
    """Keep one line a commit, whatever was appended before."""
    log.write_text("".join(map(_line, rows)), encoding="utf-8")


def append_to_log(log: Path, row: Reviewed) -> None:
    """Keep one review, so that a sweep that was stopped goes on from there."""
    with log.open("a", encoding="utf-8") as text:
        text.write(_line(row))


def _line(row: Reviewed) -> str:
    return json.dumps(asdict(row), ensure_ascii=False) + "\n"
