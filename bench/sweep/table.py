"""What a sweep showed, as a table that people label: rows and earlier labels in, rows with labels out."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

LABELS = ("valid", "nit", "wrong")


@dataclass(frozen=True)
class Shown:
    """One finding that a review showed, and what a person says of it. No code is copied."""

    repository: str
    commit: str
    severity: str
    blocking: str
    """`yes` where it alone asks for changes."""
    rule: str
    place: str
    title: str
    state: str = "shown"
    """`silent`: it was labelled, and a later version says it no more."""
    label: str = ""
    reason: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """What makes it the same finding in the next sweep, however severe it is by then."""
        return self.repository, self.commit, self.rule, self.place


COLUMNS = tuple(field.name for field in fields(Shown))


def read_table(file: Path) -> list[Shown]:
    """The rows of a table; none where there is no file yet."""
    if not file.is_file():
        return []
    with file.open(encoding="utf-8", newline="") as text:
        return [Shown(**_known(row)) for row in csv.DictReader(text, dialect="excel-tab")]


def _known(row: dict[str, Any]) -> dict[str, str]:
    unlabelled = row["label"] and row["label"] not in LABELS
    if unlabelled:
        raise SystemExit(f"{row['repository']} {row['commit']}: a label is one of {', '.join(LABELS)}")
    return {name: row[name] for name in COLUMNS}


def write_table(file: Path, rows: Iterable[Shown]) -> None:
    """Write the rows, one a line."""
    with file.open("w", encoding="utf-8", newline="") as text:
        writer = csv.DictWriter(text, COLUMNS, dialect="excel-tab", lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def joined(shown: Sequence[Shown], labelled: Sequence[Shown]) -> list[Shown]:
    """What is shown now with the labels of before; a labelled one that is shown no more stays, as silent."""
    before = {row.key: row for row in labelled if row.label}
    rows = [_with_label(row, before.get(row.key)) for row in shown]
    now = {row.key for row in shown}
    silent = [replace(row, state="silent") for key, row in before.items() if key not in now]
    return sorted([*rows, *silent], key=lambda row: (row.repository, row.commit, row.place, row.rule))


def _with_label(row: Shown, before: Shown | None) -> Shown:
    return replace(row, label=before.label, reason=before.reason) if before else row
