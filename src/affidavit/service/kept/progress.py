"""Store events, exchanges and postings of reviews."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, select, update

from affidavit.service.kept.records import KeptEvent, Posting, PostingState
from affidavit.service.kept.tables import POSTINGS, REVIEW_EVENTS, REVIEW_EXCHANGES
from affidavit.store.database import Database, insert_all, upsert
from affidavit.store.tables import REVIEWS


@dataclass(frozen=True)
class NewEvent:
    """An event without a number; its identity is the same when a review runs again."""

    name: str
    data: dict[str, Any]
    identity: str


NewExchange = tuple[str, dict[str, Any]]
"""The key and the body of a reply from a model or a server."""


class ReviewProgress:
    """Events and exchanges of the reviews of one store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self,
        review_id: str,
        owner: str,
        events: Sequence[NewEvent],
        exchanges: Sequence[NewExchange] = (),
        stage: str = "",
    ) -> bool:
        """Store events and exchanges in one transaction; return False if another worker has the review."""
        with self._database.writing() as connection:
            counted = _lock(connection, review_id, owner, _tokens_of(exchanges), stage)
            if counted is None:
                return False
            _append(connection, review_id, counted, events)
            rows = [
                {"review_id": review_id, "key": key, "body": json.dumps(body, ensure_ascii=True)}
                for key, body in exchanges
            ]
            insert_all(connection, REVIEW_EXCHANGES, rows)
            return True

    def add_events(self, review_id: str, events: Sequence[NewEvent], owner: str | None) -> int | None:
        """Append new events and return how many there are; None if another worker has the review."""
        with self._database.writing() as connection:
            counted = _lock(connection, review_id, owner)
            return None if counted is None else _append(connection, review_id, counted, events)

    def events(self, review_id: str, after: int, limit: int) -> list[KeptEvent]:
        """Return the events after a number."""
        wanted = (
            select(REVIEW_EVENTS.c.number, REVIEW_EVENTS.c.name, REVIEW_EVENTS.c.body)
            .where(REVIEW_EVENTS.c.review_id == review_id, REVIEW_EVENTS.c.number > after)
            .order_by(REVIEW_EVENTS.c.number)
            .limit(limit)
        )
        rows = self._database.rows(wanted)
        return [
            KeptEvent(number=row["number"], name=row["name"], data=json.loads(row["body"])) for row in rows
        ]

    def exchanges(self, review_id: str) -> list[dict[str, Any]]:
        """Return the exchanges of a review in their order."""
        wanted = (
            select(REVIEW_EXCHANGES.c.body)
            .where(REVIEW_EXCHANGES.c.review_id == review_id)
            .order_by(REVIEW_EXCHANGES.c.number)
        )
        return [json.loads(row["body"]) for row in self._database.rows(wanted)]


def _tokens_of(exchanges: Sequence[NewExchange]) -> int:
    used = [body.get("usage", {}) for _, body in exchanges]
    return sum(int(one.get(name) or 0) for one in used for name in ("input_tokens", "output_tokens"))


def _lock(
    connection: Connection, review_id: str, owner: str | None, tokens: int = 0, stage: str = ""
) -> int | None:
    """Return the number of events; None if another worker has the review.

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


def _event_row(review_id: str, number: int, event: NewEvent) -> dict[str, Any]:
    body = json.dumps(event.data, ensure_ascii=True)
    return {
        "review_id": review_id,
        "number": number,
        "name": event.name,
        "body": body,
        "identity": event.identity,
    }


class Postings:
    """The postings of one store; a review has one, which is the last."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def ask(self, review_id: str, by: str, at: str) -> Posting:
        """Note that a review is to be posted; a waiting posting stays."""
        with self._database.writing() as connection:
            known = _find(connection, review_id)
            if known is not None and known.state == "waiting":
                return known
            number = known.number + 1 if known else 1
            new = Posting(review_id=review_id, number=number, state="waiting", asked_by=by, asked_at=at)
            upsert(connection, POSTINGS, _row(new))
            return new

    def find(self, review_id: str) -> Posting | None:
        """Return the last posting of a review."""
        with self._database.transaction() as connection:
            return _find(connection, review_id)

    def overdue(self) -> list[Posting]:
        """Return waiting postings of completed reviews."""
        is_done = and_(POSTINGS.c.state == "waiting", REVIEWS.c.status == "completed")
        wanted = select(POSTINGS).join(REVIEWS, REVIEWS.c.id == POSTINGS.c.review_id).where(is_done)
        return [_posting(row) for row in self._database.rows(wanted.limit(100))]

    def note_try(self, posting: Posting, reason: str) -> None:
        """Store why the last attempt failed."""
        with self._database.writing() as connection:
            connection.execute(update(POSTINGS).where(_is(posting)).values(reason=reason))

    def finish(self, posting: Posting, state: PostingState, at: str, **values: Any) -> None:
        """Store the result, unless a newer posting was requested."""
        if "notes" in values:
            values["notes"] = json.dumps(list(values["notes"]))
        with self._database.writing() as connection:
            connection.execute(
                update(POSTINGS).where(_is(posting)).values(state=state, finished_at=at, **values)
            )


def _is(posting: Posting) -> ColumnElement[bool]:
    return and_(POSTINGS.c.review_id == posting.review_id, POSTINGS.c.number == posting.number)


def _find(connection: Connection, review_id: str) -> Posting | None:
    found = connection.execute(select(POSTINGS).where(POSTINGS.c.review_id == review_id)).mappings()
    row = found.one_or_none()
    return _posting(row) if row else None


def _posting(row: Mapping[Any, Any]) -> Posting:
    return Posting.model_validate({**row, "notes": tuple(json.loads(row["notes"]))})


def _row(posting: Posting) -> dict[str, Any]:
    return {**posting.model_dump(), "notes": json.dumps(list(posting.notes))}
