"""Keep reports and the findings in them in one SQLite file."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import ValidationError

from affidavit.errors import StoreError
from affidavit.records.record import Record
from affidavit.records.report import Report
from affidavit.store.upgrade import is_newer, migrate

FILE_NAME = "affidavit.db"
BUSY_SECONDS = 10
"""How long to wait for another process that is writing."""


class StoredFinding(Record):
    """A finding of an earlier report."""

    report_id: str
    fingerprint: str
    title: str
    file: str
    line: int


class SqliteStore:
    """The store in a folder of the user's; made on first use, readable by the user alone."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME

    def save_report(self, report: Report) -> None:
        """Keep a report; the same report twice is kept once."""
        with self.open() as database:
            database.execute(
                "INSERT OR REPLACE INTO reports VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    report.id,
                    report.created_at,
                    report.change.repository,
                    report.change.base.commit or report.change.base.tree,
                    report.change.head.commit or report.change.head.tree,
                    report.verdict.decision,
                    report.model_dump_json(),
                ),
            )
            database.execute("DELETE FROM findings WHERE report_id = ?", (report.id,))
            database.executemany(
                "INSERT OR REPLACE INTO findings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                _finding_rows(report),
            )

    def load_report(self, report_id: str) -> Report | None:
        """A kept report."""
        with self.open() as database:
            row = database.execute("SELECT body FROM reports WHERE id = ?", (report_id,)).fetchone()
        if row is None:
            return None
        report = _read(row[0])
        if report is None:
            raise StoreError(
                f"the report {report_id} was kept by another version and cannot be read by this one"
            )
        return report

    def has_report(self, report_id: str) -> bool:
        """Whether a report is kept, readable or not."""
        with self.open() as database:
            return database.execute("SELECT 1 FROM reports WHERE id = ?", (report_id,)).fetchone() is not None

    def each_report(self, since: str = "") -> Iterator[Report | None]:
        """Reports made at or after a date, oldest first; None for one that this version cannot read."""
        with self.open() as database:
            rows = database.execute(
                "SELECT body FROM reports WHERE created_at >= ? ORDER BY created_at, id", (since,)
            )
            for (body,) in rows:
                yield _read(body)

    def report_ids(self, start: str = "") -> list[str]:
        """Ids that begin so, the newest report's first."""
        with self.open() as database:
            rows = database.execute(
                "SELECT id FROM reports WHERE substr(id, 1, length(?)) = ?"
                " ORDER BY created_at DESC, rowid DESC",
                (start, start),
            ).fetchall()
        return [report_id for (report_id,) in rows]

    def count_reports(self) -> int:
        """How many reports are kept."""
        with self.open() as database:
            (count,) = database.execute("SELECT count(*) FROM reports").fetchone()
        return int(count)

    def find_fingerprint(self, fingerprint: str) -> StoredFinding | None:
        """The newest finding with this fingerprint."""
        with self.open() as database:
            row = database.execute(
                "SELECT report_id, fingerprint, title, file, line FROM findings"
                " JOIN reports ON reports.id = report_id WHERE fingerprint = ?"
                " ORDER BY created_at DESC LIMIT 1",
                (fingerprint,),
            ).fetchone()
        if row is None:
            return None
        return StoredFinding(report_id=row[0], fingerprint=row[1], title=row[2], file=row[3], line=row[4])

    @contextmanager
    def open(self) -> Iterator[sqlite3.Connection]:
        """A connection inside one transaction, for whoever keeps tables of their own in the store."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Where nothing can be written, what is kept can still be read.
            is_fixed = self.path.is_file() and not os.access(self.path.parent, os.W_OK)
            database = _connect(self.path, is_fixed=is_fixed)
            try:
                with database:
                    _prepare(database, self.path, is_fixed=is_fixed)
                    yield database
            finally:
                database.close()
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"the store {self.path} cannot be used: {error}") from error


def _connect(path: Path, *, is_fixed: bool) -> sqlite3.Connection:
    if not is_fixed:
        return sqlite3.connect(path, timeout=BUSY_SECONDS)
    # SQLite makes files beside a store that it reads, unless they are there or nobody writes to it.
    is_in_use = path.with_name(f"{path.name}-wal").exists()
    how = "mode=ro" if is_in_use else "mode=ro&immutable=1"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=BUSY_SECONDS)


def _prepare(database: sqlite3.Connection, path: Path, *, is_fixed: bool) -> None:
    if is_newer(database):
        raise StoreError(
            f"the store {path} was written by a newer Affidavit; install that, or name another --data"
        )
    if is_fixed:
        return
    if path.stat().st_size == 0:
        path.chmod(0o600)
    _let_readers_go_on(database)
    migrate(database)


def _let_readers_go_on(database: sqlite3.Connection) -> None:
    """Switch to write-ahead logging, unless somebody else has the store open: then the next one may."""
    if database.execute("PRAGMA journal_mode").fetchone() == ("wal",):
        return
    database.execute("PRAGMA busy_timeout = 0")
    with suppress(sqlite3.OperationalError):
        database.execute("PRAGMA journal_mode = WAL")
    database.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")


def _read(body: str) -> Report | None:
    try:
        return Report.model_validate_json(body)
    except ValidationError:
        return None


def _finding_rows(report: Report) -> list[tuple[object, ...]]:
    return [
        (
            report.id,
            candidate.id,
            candidate.fingerprint,
            candidate.specialist,
            candidate.finding.severity,
            candidate.finding.category,
            candidate.status,
            candidate.withheld.code if candidate.withheld else None,
            candidate.finding.title,
            candidate.finding.file,
            candidate.finding.line,
        )
        for candidate in report.candidates
        if candidate.finding
    ]
