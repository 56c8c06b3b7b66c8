"""Keep what happens while a review is done: its events in order, and its exchanges with models."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select, update

from affidavit.records.service.review import KeptEvent
from affidavit.store.databases.database import Database, insert_all, insert_once
from affidavit.store.databases.schema import REVIEW_EVENTS, REVIEW_EXCHANGES, REVIEWS, SPENDING


@dataclass(frozen=True)
class NewEvent:
    """An event before it has a number; the identity is the same when a review runs again."""

    name: str
    data: dict[str, Any]
    identity: str


@dataclass(frozen=True)
class Spent:
    """What exchanges cost, on a day, for a tenant."""

    tenant: str
    day: str
    usd: float
    tokens: int
    calls: int = 1


@dataclass(frozen=True)
class NewExchanges:
    """What minds and servers replied, each as its key and its JSON, and what that cost."""

    bodies: Sequence[tuple[str, str]]
    spent: Spent


class Progress:
    """Events and exchanges of the reviews of one store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self,
        review_id: str,
        owner: str,
        events: Sequence[NewEvent],
        exchanges: NewExchanges | None = None,
        stage: str = "",
    ) -> bool:
        """Keep what was said since, all or nothing; False where somebody else works on the review."""
        with self._database.writing() as connection:
            tokens = exchanges.spent.tokens if exchanges else 0
            counted = _lock(connection, review_id, owner, tokens, stage)
            if counted is None:
                return False
            _append(connection, review_id, counted, events)
            if exchanges is not None:
                # Last, since the day's row is everybody's: nobody waits for it longer than must be.
                _keep_exchanges(connection, review_id, exchanges)
            return True

    def add_events(self, review_id: str, events: Sequence[NewEvent], owner: str | None) -> int | None:
        """Append those that are not there yet; how many there are then, None where it is not the owner's."""
        with self._database.writing() as connection:
            counted = _lock(connection, review_id, owner)
            return None if counted is None else _append(connection, review_id, counted, events)

    def events(self, review_id: str, after: int, limit: int) -> list[KeptEvent]:
        """The events after a number, in order."""
        wanted = (
            select(REVIEW_EVENTS.c.number, REVIEW_EVENTS.c.name, REVIEW_EVENTS.c.body)
            .where(REVIEW_EVENTS.c.review_id == review_id, REVIEW_EVENTS.c.number > after)
            .order_by(REVIEW_EVENTS.c.number)
            .limit(limit)
        )
        with self._database.transaction() as connection:
            rows = connection.execute(wanted).all()
        return [KeptEvent(number=row.number, name=row.name, data=json.loads(row.body)) for row in rows]

    def exchanges(self, review_id: str) -> list[dict[str, Any]]:
        """Every exchange of a review, in the order in which they were made."""
        wanted = (
            select(REVIEW_EXCHANGES.c.body)
            .where(REVIEW_EXCHANGES.c.review_id == review_id)
            .order_by(REVIEW_EXCHANGES.c.number)
        )
        with self._database.transaction() as connection:
            return [json.loads(body) for body in connection.execute(wanted).scalars()]

    def spend(self, spent: Spent) -> None:
        """Count what was paid beside a review."""
        with self._database.writing() as connection:
            _count(connection, spent)

    def spent_usd(self, tenant: str, day: str) -> float:
        """What a tenant has spent on a day."""
        wanted = select(SPENDING.c.usd).where(SPENDING.c.tenant == tenant, SPENDING.c.day == day)
        with self._database.transaction() as connection:
            return connection.execute(wanted).scalar_one_or_none() or 0.0


def _lock(
    connection: Connection, review_id: str, owner: str | None, tokens: int = 0, stage: str = ""
) -> int | None:
    """How many events there are; None where the review is not the owner's.

    The row is locked from here on, so that numbers come in the order in which they can be read.
    """
    mine = REVIEWS.c.id == review_id
    if owner is not None:
        mine &= REVIEWS.c.owner == owner
    locking = update(REVIEWS).where(mine).values(tokens=REVIEWS.c.tokens + tokens)
    locking = locking.values(stage=stage) if stage else locking
    counted: int | None = connection.execute(locking.returning(REVIEWS.c.events)).scalar_one_or_none()
    return counted


def _append(connection: Connection, review_id: str, counted: int, events: Sequence[NewEvent]) -> int:
    if not events:
        return counted
    known = set(
        connection.execute(
            select(REVIEW_EVENTS.c.identity).where(
                REVIEW_EVENTS.c.review_id == review_id,
                REVIEW_EVENTS.c.identity.in_([one.identity for one in events]),
            )
        ).scalars()
    )
    rows: list[dict[str, Any]] = []
    for one in events:
        if one.identity not in known:
            known.add(one.identity)
            rows.append(_event_row(review_id, counted + len(rows) + 1, one))
    if rows:
        connection.execute(REVIEW_EVENTS.insert(), rows)
        total = counted + len(rows)
        connection.execute(update(REVIEWS).where(REVIEWS.c.id == review_id).values(events=total))
    return counted + len(rows)


def _keep_exchanges(connection: Connection, review_id: str, exchanges: NewExchanges) -> None:
    rows = [{"review_id": review_id, "key": key, "body": body} for key, body in exchanges.bodies]
    insert_all(connection, REVIEW_EXCHANGES, rows)
    _count(connection, exchanges.spent)


def _count(connection: Connection, spent: Spent) -> None:
    nothing = {"tenant": spent.tenant, "day": spent.day, "usd": 0.0, "tokens": 0, "calls": 0}
    insert_once(connection, SPENDING, nothing)
    connection.execute(
        update(SPENDING)
        .where(SPENDING.c.tenant == spent.tenant, SPENDING.c.day == spent.day)
        .values(
            usd=SPENDING.c.usd + spent.usd,
            tokens=SPENDING.c.tokens + spent.tokens,
            calls=SPENDING.c.calls + spent.calls,
        )
    )


def _event_row(review_id: str, number: int, event: NewEvent) -> dict[str, Any]:
    body = json.dumps(event.data, ensure_ascii=True)
    return {
        "review_id": review_id,
        "number": number,
        "name": event.name,
        "body": body,
        "identity": event.identity,
    }
