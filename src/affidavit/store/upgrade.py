"""How the store's schema came to be: one migration after another, each run once and as a whole."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Migration:
    """One step of the schema. What has been released is never edited: a change is a migration of its own."""

    name: str
    statements: tuple[str, ...]
    """Single statements: a script would end the transaction that holds a migration together."""


REPORTS = Migration(
    "reports and their findings",
    (
        """
        CREATE TABLE IF NOT EXISTS reports (
            id TEXT PRIMARY KEY,
            created_at TEXT NOT NULL,
            repository TEXT,
            base TEXT NOT NULL,
            head TEXT NOT NULL,
            decision TEXT NOT NULL,
            body TEXT NOT NULL
        )
        """,
        """
        CREATE TABLE IF NOT EXISTS findings (
            report_id TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
            candidate_id TEXT NOT NULL,
            fingerprint TEXT NOT NULL,
            specialist TEXT NOT NULL,
            severity TEXT NOT NULL,
            category TEXT NOT NULL,
            status TEXT NOT NULL,
            withheld TEXT,
            title TEXT NOT NULL,
            file TEXT NOT NULL,
            line INTEGER NOT NULL,
            PRIMARY KEY (report_id, candidate_id)
        )
        """,
        "CREATE INDEX IF NOT EXISTS findings_by_fingerprint ON findings (fingerprint)",
    ),
)

LABELS = Migration(
    "labels of findings",
    (
        # Rows are added and never changed: the newest row of a finding is its label, the others its history.
        """
        CREATE TABLE labels (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            report_id TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
            candidate_id TEXT NOT NULL,
            label TEXT CHECK (label IN ('valid', 'wrong', 'nit')),
            why TEXT NOT NULL,
            labelled_by TEXT NOT NULL,
            source TEXT NOT NULL,
            labelled_at TEXT NOT NULL
        )
        """,
        "CREATE INDEX labels_by_finding ON labels (report_id, candidate_id, number)",
    ),
)

ROLLOUT = Migration(
    "rollout of prompt and schema versions",
    (
        """
        CREATE TABLE rollouts (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            state TEXT NOT NULL CHECK (state IN ('running', 'promoted', 'rolled_back')),
            body TEXT NOT NULL
        )
        """,
        "CREATE UNIQUE INDEX one_rollout_at_a_time ON rollouts (state) WHERE state = 'running'",
        """
        CREATE TABLE rollout_decisions (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            is_announced INTEGER NOT NULL,
            body TEXT NOT NULL
        )
        """,
        # The newest review of a change counts, so that one change cannot fill a sample.
        """
        CREATE TABLE rollout_reviews (
            rollout INTEGER NOT NULL REFERENCES rollouts (number) ON DELETE CASCADE,
            change_key TEXT NOT NULL,
            body TEXT NOT NULL,
            PRIMARY KEY (rollout, change_key)
        )
        """,
        """
        CREATE TABLE retired_versions (
            kind TEXT NOT NULL CHECK (kind IN ('prompt', 'schema')),
            version TEXT NOT NULL,
            PRIMARY KEY (kind, version)
        )
        """,
    ),
)

MIGRATIONS: tuple[Migration, ...] = (REPORTS, LABELS, ROLLOUT)
"""In the order in which they are run; a new one goes to the end."""


def migrate(database: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring a store to the newest schema, also where another process does the same at this moment."""
    if _number(database) >= len(migrations):
        return
    database.execute("BEGIN IMMEDIATE")
    # Between the first look and the lock, another process may have done it.
    for number, migration in enumerate(migrations[_number(database) :], start=_number(database) + 1):
        for statement in migration.statements:
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {number}")
    database.commit()


def is_newer(database: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS) -> bool:
    """Whether a later Affidavit has written this store."""
    return _number(database) > len(migrations)


def _number(database: sqlite3.Connection) -> int:
    (number,) = database.execute("PRAGMA user_version").fetchone()
    return int(number)
