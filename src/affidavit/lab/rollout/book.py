"""Keep rollouts in the store: their state, the reviews that count, and every decision with its reason."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from affidavit.contract.schema import CURRENT_SCHEMA_VERSION
from affidavit.contract.versions import CURRENT_PROMPT_VERSION
from affidavit.errors import InputError
from affidavit.lab.labels.book import labelled_findings, newest_by_problem
from affidavit.records.lab.rollout import (
    Decision,
    Rollout,
    RolloutPlan,
    RolloutReview,
    RolloutState,
    Versions,
)
from affidavit.store.reports import SqliteStore
from affidavit.store.upgrade import migrate

BUILT_IN = Versions(prompt=CURRENT_PROMPT_VERSION, schema_version=CURRENT_SCHEMA_VERSION)
"""What every review uses where nothing was promoted."""


class RolloutBook:
    """The rollouts of one store. Reading a store that is not there makes none."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    def running(self) -> Rollout | None:
        """The rollout that is under way; there is at most one."""
        return self._newest("running")

    def last_promoted(self) -> Rollout | None:
        """The newest promotion that stands."""
        return self._newest("promoted")

    def last(self) -> Rollout | None:
        """The newest rollout, whatever became of it."""
        return self._newest(None)

    def numbered(self, number: int) -> Rollout | None:
        """The rollout with this number."""
        with self._reading() as database:
            return _one(database, "number = ?1", number)

    def current(self) -> Versions:
        """What reviews outside of a slice use."""
        promoted = self.last_promoted()
        return promoted.new if promoted else BUILT_IN

    def retired(self, kind: str) -> frozenset[str]:
        """The versions that are not read any more; `kind` is prompt or schema."""
        with self._reading() as database:
            rows = database.execute("SELECT version FROM retired_versions WHERE kind = ?", (kind,)).fetchall()
        return frozenset(row[0] for row in rows)

    def reviews(self, rollout: int) -> list[RolloutReview]:
        """The reviews that count for a rollout, oldest first."""
        with self._reading() as database:
            return _reviews(database, rollout)

    def decisions(self) -> list[Decision]:
        """Everything that was decided, oldest first."""
        with self._reading() as database:
            rows = database.execute("SELECT body FROM rollout_decisions ORDER BY number").fetchall()
        return [Decision.model_validate_json(row[0]) for row in rows]

    def labels(self) -> dict[tuple[str, str], str]:
        """Report and finding to its label; a problem that was seen again counts once."""
        if not self._store.path.exists():
            return {}
        newest = newest_by_problem(labelled_findings(self._store)).values()
        return {
            (one.entry.report_id, one.entry.candidate_id): one.entry.label
            for one in newest
            if one.entry.label
        }

    def unannounced(self) -> list[tuple[int, Decision]]:
        """Automatic decisions that nobody was told of yet."""
        with self._reading() as database:
            rows = database.execute(
                "SELECT number, body FROM rollout_decisions WHERE NOT is_announced ORDER BY number"
            ).fetchall()
        return [(number, Decision.model_validate_json(body)) for number, body in rows]

    def announce(self, numbers: list[int]) -> None:
        """Somebody was told."""
        with self._store.open() as database:
            database.executemany(
                "UPDATE rollout_decisions SET is_announced = 1 WHERE number = ?",
                [(number,) for number in numbers],
            )

    def begin(self, plan: RolloutPlan, decision: Decision) -> Rollout:
        """Keep a new rollout; refused where one is running."""
        with self._changing() as database:
            if running := _newest(database, "running"):
                raise InputError(
                    f"a rollout of {running.new.name} is running since {running.started_at[:10]};"
                    " promote it or roll it back first, or change its slice with `rollout slice`"
                )
            body = plan.model_dump_json()
            row = database.execute("INSERT INTO rollouts (state, body) VALUES ('running', ?)", (body,))
            number = row.lastrowid or 0
            _keep(database, decision.model_copy(update={"rollout": number}))
        return Rollout(**plan.model_dump(), number=number, state="running")

    def resize(self, rollout: Rollout, share: float, decision: Decision) -> bool:
        """Change the slice of a running rollout; False where it is running no more."""
        plan = RolloutPlan(**rollout.model_dump(exclude={"number", "state", "share"}), share=share)
        with self._changing() as database:
            changed = database.execute(
                "UPDATE rollouts SET body = ? WHERE number = ? AND state = 'running'",
                (plan.model_dump_json(), rollout.number),
            )
            if changed.rowcount:
                _keep(database, decision)
            return changed.rowcount > 0

    def conclude(self, rollout: Rollout, state: RolloutState, decision: Decision) -> bool:
        """End a rollout, or take a promotion back; False where another decision came first."""
        with self._changing() as database:
            changed = database.execute(
                "UPDATE rollouts SET state = ? WHERE number = ? AND state = ?",
                (state, rollout.number, rollout.state),
            )
            if changed.rowcount:
                _keep(database, decision)
            return changed.rowcount > 0

    def add_review(self, rollout: int, review: RolloutReview) -> list[RolloutReview]:
        """Count a review, in place of an earlier one of the same change; returns all that count."""
        with self._changing() as database:
            database.execute(
                "INSERT OR REPLACE INTO rollout_reviews VALUES (?, ?, ?)",
                (rollout, review.change_key, review.model_dump_json()),
            )
            return _reviews(database, rollout)

    def retire(self, kind: str, version: str, decision: Decision) -> None:
        """Read a version no more."""
        with self._changing() as database:
            database.execute("INSERT OR IGNORE INTO retired_versions VALUES (?, ?)", (kind, version))
            _keep(database, decision)

    def _newest(self, state: RolloutState | None) -> Rollout | None:
        with self._reading() as database:
            return _newest(database, state)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        if self._store.path.exists():
            with self._store.open() as database:
                yield database
            return
        # A review that keeps nothing must not leave a store behind for having looked.
        with closing(sqlite3.connect(":memory:")) as database:
            migrate(database)
            yield database

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        with self._store.open() as database:
            # What is read here must still hold when it is written: two reviews may end at once.
            database.execute("BEGIN IMMEDIATE")
            yield database


def _newest(database: sqlite3.Connection, state: RolloutState | None) -> Rollout | None:
    return _one(database, "?1 IS NULL OR state = ?1", state)


def _one(database: sqlite3.Connection, condition: str, value: str | int | None) -> Rollout | None:
    row = database.execute(
        "SELECT number, state, body FROM rollouts"  # noqa: S608 - conditions of this module
        f" WHERE {condition} ORDER BY number DESC LIMIT 1",
        (value,),
    ).fetchone()
    if row is None:
        return None
    return Rollout(**RolloutPlan.model_validate_json(row[2]).model_dump(), number=row[0], state=row[1])


def _reviews(database: sqlite3.Connection, rollout: int) -> list[RolloutReview]:
    rows = database.execute("SELECT body FROM rollout_reviews WHERE rollout = ?", (rollout,)).fetchall()
    return sorted((RolloutReview.model_validate_json(row[0]) for row in rows), key=lambda review: review.at)


def _keep(database: sqlite3.Connection, decision: Decision) -> None:
    database.execute(
        "INSERT INTO rollout_decisions (is_announced, body) VALUES (?, ?)",
        (not decision.is_automatic, decision.model_dump_json()),
    )
