"""What a sweep keeps: a log of reviewed commits, a table of findings that people label, and its figures."""

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from statistics import median
from typing import Any

from affidavit.quality.statistics import rate_of
from affidavit.render.account import EN_DASH, percent

LABELS = ("valid", "nit", "wrong")


@dataclass(frozen=True)
class Shown:
    """One finding that a review showed, and its label. No code is copied."""

    repository: str
    commit: str
    severity: str
    blocking: str
    """`yes` if it alone makes the verdict request changes."""
    rule: str
    place: str
    title: str
    state: str = "shown"
    """`silent`: it was labelled, and a later version does not report it."""
    label: str = ""
    reason: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """Return what identifies the finding in the next sweep, whatever its severity is then."""
        return self.repository, self.commit, self.rule, self.place


COLUMNS = tuple(field.name for field in fields(Shown))


def read_table(file: Path) -> list[Shown]:
    """Return the rows of a table; none if there is no file yet."""
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
    """Return the shown findings with earlier labels; labelled ones that are gone stay, as silent."""
    before = {row.key: row for row in labelled if row.label}
    rows = [_with_label(row, before.get(row.key)) for row in shown]
    now = {row.key for row in shown}
    silent = [replace(row, state="silent") for key, row in before.items() if key not in now]
    return sorted([*rows, *silent], key=lambda row: (row.repository, row.commit, row.place, row.rule))


def _with_label(row: Shown, before: Shown | None) -> Shown:
    return replace(row, label=before.label, reason=before.reason) if before else row


@dataclass(frozen=True)
class Reviewed:
    """The outcome of one commit."""

    repository: str
    commit: str
    state: str
    """`whole`, `in part`, `empty`, or why there is no review."""
    seconds: float
    files: int = 0
    examined: int | None = None
    """Files that a specialist read, whole or in part; None: not counted at the time."""
    shown: Sequence[Shown] = ()
    gaps: Sequence[str] = ()
    revision: str = ""
    """The commit of Affidavit that reviewed it, if known."""

    @property
    def key(self) -> tuple[str, str]:
        """Return what identifies the commit in the next sweep."""
        return self.repository, self.commit

    @property
    def is_done(self) -> bool:
        """Return whether there was a review, whole or in part, or nothing to review."""
        return self.state in ("whole", "in part", "empty")


def read_log(log: Path) -> list[Reviewed]:
    """Return what was reviewed before, each commit once, by its last finished review."""
    lines = log.read_text(encoding="utf-8").splitlines() if log.is_file() else []
    found: dict[tuple[str, str], Reviewed] = {}
    for row in (_from_log(json.loads(line)) for line in lines):
        found[row.key] = latest(found.get(row.key), row)
    return list(found.values())


def latest(before: Reviewed | None, row: Reviewed) -> Reviewed:
    """Return the later row, unless only the earlier one is a finished review."""
    return before if before is not None and before.is_done and not row.is_done else row


def _from_log(row: dict[str, Any]) -> Reviewed:
    return Reviewed(**{**row, "shown": [Shown(**shown) for shown in row["shown"]]})


def write_log(log: Path, rows: Sequence[Reviewed]) -> None:
    """Write the log anew, one line a commit."""
    log.write_text("".join(map(_line, rows)), encoding="utf-8")


def append_to_log(log: Path, row: Reviewed) -> None:
    """Append one review, so that a stopped sweep continues from there."""
    with log.open("a", encoding="utf-8") as text:
        text.write(_line(row))


def _line(row: Reviewed) -> str:
    return json.dumps(asdict(row), ensure_ascii=False) + "\n"


def summary(reviewed: Sequence[Reviewed], rows: Sequence[Shown]) -> list[str]:
    """Return the figures and counts as lines to print."""
    if not reviewed:
        return ["no commit was reviewed"]
    now = [row for row in rows if row.state == "shown"]
    return [
        *(f"{name}: {words}" for name, words in figures(reviewed, rows)),
        f"by severity: {_counted(row.severity for row in now)}",
        f"by rule: {_counted(row.rule for row in now)}",
        f"labels: {_counted(row.label or 'none' for row in now)}",
    ]


def figures(reviewed: Sequence[Reviewed], rows: Sequence[Shown]) -> list[tuple[str, str]]:
    """Return the named figures; shares only if everything has a label."""
    now = [row for row in rows if row.state == "shown"]
    blocking = [row for row in now if row.blocking == "yes"]
    seconds = [row.seconds for row in reviewed]
    return [
        ("repositories", f"{len({row.repository for row in reviewed})}"),
        ("commits", f"{len(reviewed)} ({_counted(map(_state, reviewed))})"),
        ("reviewed by the revision", _counted(row.revision or "unknown" for row in reviewed)),
        ("files", _files(reviewed)),
        ("shown", f"{len(now)} findings in {_commits(now)} commits"),
        ("blocking", f"{len(blocking)} findings in {_commits(blocking)} commits"),
        *(_shares(now, blocking, len(reviewed)) if all(row.label for row in now) else ()),
        ("labelled before, silent now", _silent([row for row in rows if row.state == "silent"])),
        ("seconds a commit", f"median {median(seconds):.1f}, longest {max(seconds):.0f}"),
    ]


def _files(reviewed: Sequence[Reviewed]) -> str:
    counted = [row for row in reviewed if row.examined is not None]
    examined, of = sum(row.examined or 0 for row in counted), sum(row.files for row in counted)
    return f"{sum(row.files for row in reviewed)}; read by a specialist, whole or in part: {examined} of {of}"


def _state(row: Reviewed) -> str:
    return row.state.partition(":")[0]


def _shares(now: Sequence[Shown], blocking: Sequence[Shown], commits: int) -> Iterator[tuple[str, str]]:
    stopped = _commits([row for row in blocking if row.label == "wrong"])
    yield "wrong, of the shown", _share(_labelled(now, "wrong"), len(now))
    yield "trifles, of the shown", _share(_labelled(now, "nit"), len(now))
    yield "wrong, of the blocking", _share(_labelled(blocking, "wrong"), len(blocking))
    yield "commits that something wrong would have stopped", _share(stopped, commits)


def _silent(rows: Sequence[Shown]) -> str:
    return f"{len(rows)}, {_labelled(rows, 'wrong')} of them wrong" if rows else "none"


def objections(rows: Sequence[Shown]) -> list[str]:
    """Return findings without a label, and blocking ones that are wrong."""
    now = [row for row in rows if row.state == "shown"]
    wrong = [row for row in now if row.label == "wrong" and row.blocking == "yes"]
    return [
        *(f"no label: {_named(row)}" for row in now if not row.label),
        *(f"blocking and wrong: {_named(row)}" for row in wrong),
    ]


def _named(row: Shown) -> str:
    return f"{row.repository} {row.commit} {row.rule} {row.place}: {row.title}"


def _labelled(rows: Sequence[Shown], label: str) -> int:
    return sum(row.label == label for row in rows)


def _commits(rows: Sequence[Shown]) -> int:
    return len({(row.repository, row.commit) for row in rows})


def _share(count: int, n: int) -> str:
    rate = rate_of(count, n)
    if rate is None:
        return "none"
    return f"{count} of {n}, {percent(rate.share)} [{100 * rate.low:.1f}{EN_DASH}{100 * rate.high:.1f}]"


def _counted(words: Iterable[str]) -> str:
    return ", ".join(f"{word} {count}" for word, count in Counter(words).most_common()) or "none"


def as_markdown(reviewed: Sequence[Reviewed], rows: Sequence[Shown]) -> str:
    """Return the figures as a table for documents."""
    return "\n".join(f"| {name} | {words} |" for name, words in figures(reviewed, rows))
