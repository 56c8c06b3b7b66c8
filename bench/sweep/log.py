"""What became of each commit of a sweep, kept a line a commit so that a sweep can be stopped and resumed."""

import json
import os
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


def read_log(log: Path) -> list[Reviewed]:
    """What was reviewed before; the last line about a commit counts."""
    lines = log.read_text(encoding="utf-8").splitlines() if log.is_file() else []
    return [_from_log(json.loads(line)) for line in lines]


def _from_log(row: dict[str, Any]) -> Reviewed:
    return Reviewed(**{**row, "shown": [Shown(**shown) for shown in row["shown"]]})


def append_to_log(log: Path, row: Reviewed) -> None:
    """Keep one review, so that a sweep that was stopped goes on from there."""
    with log.open("a", encoding="utf-8") as text:
        text.write(json.dumps(asdict(row), ensure_ascii=False) + os.linesep)
