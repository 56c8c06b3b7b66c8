"""Keep what was posted of reviews: who asked for it goes in, what became of it comes out."""

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, select, update

from affidavit.records.service.posting import Posting, PostingState
from affidavit.store.databases.database import Database, upsert
from affidavit.store.databases.schema import POSTINGS, REVIEWS


class Postings:
    """The postings of one store; a review has one, which is the last."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def ask(self, review_id: str, by: str, at: str) -> Posting:
        """Note that a review is to be posted; one that waits already stays the one that it is."""
        with self._database.writing() as connection:
            known = _find(connection, review_id)
            if known is not None and known.state == "waiting":
                return known
            number = known.number + 1 if known else 1
            new = Posting(review_id=review_id, number=number, state="waiting", asked_by=by, asked_at=at)
            upsert(connection, POSTINGS, _row(new))
            return new

    def find(self, review_id: str) -> Posting | None:
        """The last posting of a review."""
        with self._database.transaction() as connection:
            return _find(connection, review_id)

    def overdue(self) -> list[Posting]:
        """Those that wait although their review is done."""
        is_done = and_(POSTINGS.c.state == "waiting", REVIEWS.c.status == "completed")
        wanted = select(POSTINGS).join(REVIEWS, REVIEWS.c.id == POSTINGS.c.review_id).where(is_done)
        with self._database.transaction() as connection:
            return [_posting(row) for row in connection.execute(wanted.limit(100)).mappings()]

    def note_try(self, posting: Posting, reason: str) -> None:
        """Note why the last try did not go well; it waits for the next."""
        with self._database.writing() as connection:
            connection.execute(update(POSTINGS).where(_is(posting)).values(reason=reason))

    def finish(self, posting: Posting, state: PostingState, at: str, **values: Any) -> None:
        """Note what became of it, unless somebody has asked anew since."""
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
