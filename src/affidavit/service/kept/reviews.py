"""Store the reviews of the service, with their requests and states."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, delete, func, insert, or_, select, tuple_, update

from affidavit.service.kept.postgresql import writing_for
from affidavit.service.kept.records import FINISHED, KeptReview, ReviewOutcome, ReviewStatus, WantedReview
from affidavit.service.kept.tables import insert_once
from affidavit.store.database import Database
from affidavit.store.tables import REPORTS, REVIEWS

_NO_ANSWER = ("failed", "cancelled")
_COLUMNS = [REVIEWS.c[name] for name in KeptReview.model_fields]


@dataclass(frozen=True)
class Wanted:
    """A requested review before it is stored."""

    id: str
    tenant: str
    created_at: str
    submitted_by: str
    change_key: str
    request: WantedReview


@dataclass(frozen=True)
class Filter:
    """A filter for lists; None: all."""

    status: str | None = None
    repository: str | None = None
    verdict: str | None = None
    url: str | None = None
    search: str | None = None


class FullQueue(Exception):  # noqa: N818 - an answer, which whoever asks puts into words
    """The limit on waiting reviews of a tenant is reached."""

    def __init__(self, waiting: int) -> None:
        self.waiting = waiting
        super().__init__(f"{waiting} reviews wait")


class Reviews:
    """The reviews of one store; a tenant's requests are looked up with its name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, wanted: Wanted, *, again: bool, most: int | None = None) -> tuple[KeptReview, bool]:
        """Store a review, or return the existing one of the same change; and whether it is new.

        A failed or cancelled one does not count; `again` always stores a new one. Raise
        FullQueue if it would be new and `most` of the tenant wait. Concurrent requests for the same tenant,
        on any server, wait for this decision.
        """
        with writing_for(self._database, wanted.tenant) as connection:
            known = self._current(connection, wanted, again=again)
            if known is None:
                _refuse_beyond(connection, wanted.tenant, most)
                connection.execute(insert(REVIEWS).values(_new_row(wanted)))
            kept = known or _one(connection, REVIEWS.c.id == wanted.id)
            return kept, known is None

    def without_review(self) -> list[str]:
        """Return the ids of reports without a review, newest first."""
        newest_first = (REPORTS.c.created_at.desc(), REPORTS.c.id.desc())
        # By ids alone first, since these are in an index: reports are long to read through.
        each = REPORTS.alias()
        unknown = select(each.c.id).where(each.c.id.not_in(select(REVIEWS.c.id)))
        wanted = select(REPORTS.c.id).where(REPORTS.c.id.in_(unknown)).order_by(*newest_first)
        return [row["id"] for row in self._database.rows(wanted)]

    def adopt(self, row: Mapping[str, Any]) -> None:
        """Store a review for a report of the command line, once."""
        # It is not reused for requests of its change: its key is its own id.
        with self._database.writing() as connection:
            insert_once(connection, REVIEWS, {**row, "change_key": row["id"], "is_current": 0})

    def has_answer(self, wanted: Wanted) -> bool:
        """Check whether the same change has a review that counts."""
        with self._database.transaction() as connection:
            known = _first(connection, and_(_is_same(wanted), REVIEWS.c.is_current == 1))
        return known is not None and known.status not in _NO_ANSWER

    def _current(self, connection: Connection, wanted: Wanted, *, again: bool) -> KeptReview | None:
        known = _first(connection, and_(_is_same(wanted), REVIEWS.c.is_current == 1))
        if known is None:
            return None
        if not again and known.status not in _NO_ANSWER:
            return known
        connection.execute(update(REVIEWS).where(REVIEWS.c.id == known.id).values(is_current=0))
        return None

    def find(self, review_id: str, tenant: str | None) -> KeptReview | None:
        """Return a review of a tenant; None: of any tenant."""
        with self._database.transaction() as connection:
            return _first(connection, _is_it(review_id, tenant))

    def request(self, review_id: str) -> WantedReview | None:
        """Return the request of a review."""
        text = self._text(review_id, "request")
        return WantedReview.model_validate_json(text) if text else None

    def drawn(self, review_id: str) -> dict[str, Any] | None:
        """Return the choices of the first attempt, which hold for later ones; None before that."""
        text = self._text(review_id, "drawn")
        return json.loads(text) if text else None

    def _text(self, review_id: str, column: str) -> str | None:
        wanted = select(REVIEWS.c[column]).where(REVIEWS.c.id == review_id)
        with self._database.transaction() as connection:
            return connection.execute(wanted).scalar_one_or_none()

    def page(
        self, tenant: str | None, chosen: Filter, limit: int, before: tuple[str, str] | None
    ) -> list[KeptReview]:
        """Return reviews, newest first; `before` has date and id of the last one on the previous page."""
        conditions = [*_conditions(chosen)]
        if tenant is not None:
            conditions.append(REVIEWS.c.tenant == tenant)
        if before is not None:
            conditions.append(tuple_(REVIEWS.c.created_at, REVIEWS.c.id) < tuple_(*before))
        wanted = (
            select(*_COLUMNS)
            .where(*conditions)
            .order_by(REVIEWS.c.created_at.desc(), REVIEWS.c.id.desc())
            .limit(limit)
        )
        return [_review(row) for row in self._database.rows(wanted)]

    def begin(self, review_id: str, owner: str, at: str) -> KeptReview | None:
        """Give a review to a worker; return None if it is finished or gone."""
        with self._database.writing() as connection:
            changed = connection.execute(
                update(REVIEWS)
                .where(REVIEWS.c.id == review_id, REVIEWS.c.status.in_(("queued", "running")))
                .values(
                    status="running",
                    owner=owner,
                    attempt=REVIEWS.c.attempt + 1,
                    started_at=func.coalesce(REVIEWS.c.started_at, at),
                    reason=None,
                )
            )
            return _one(connection, REVIEWS.c.id == review_id) if changed.rowcount else None

    def note(self, review_id: str, owner: str, **values: Any) -> bool:
        """Store progress; return False if another worker has the review, or it is over."""
        mine = and_(REVIEWS.c.id == review_id, REVIEWS.c.owner == owner, REVIEWS.c.status == "running")
        with self._database.writing() as connection:
            return connection.execute(update(REVIEWS).where(mine).values(**values)).rowcount > 0

    def finish(
        self, review_id: str, status: ReviewStatus, at: str, *, owner: str | None = None, **values: Any
    ) -> bool:
        """Finish a review; return False if it is over, or another worker than `owner` has it."""
        is_open = and_(REVIEWS.c.id == review_id, REVIEWS.c.status.not_in(FINISHED))
        if owner is not None:
            is_open = and_(is_open, REVIEWS.c.owner == owner)
        if isinstance(values.get("outcome"), ReviewOutcome):
            values["outcome"] = values["outcome"].model_dump_json()
        ending = update(REVIEWS).where(is_open).values(status=status, finished_at=at, owner=None, **values)
        with self._database.writing() as connection:
            return connection.execute(ending).rowcount > 0

    def reopen(self, review_id: str, tenant: str, *, most: int | None = None) -> bool:
        """Requeue a review that failed or was cancelled; raise FullQueue as `add` does."""
        is_over = and_(_is_it(review_id, tenant), REVIEWS.c.status.in_(_NO_ANSWER))
        anew = {"status": "queued", "finished_at": None, "reason": None, "owner": None}
        with writing_for(self._database, tenant) as connection:
            if _first(connection, is_over) is None:
                return False
            _refuse_beyond(connection, tenant, most)
            return connection.execute(update(REVIEWS).where(is_over).values(**anew)).rowcount > 0

    def delete(self, review_ids: Sequence[str]) -> int:
        """Delete reviews with their events, exchanges, reports and labels."""
        with self._database.writing() as connection:
            connection.execute(delete(REPORTS).where(REPORTS.c.id.in_(review_ids)))
            return connection.execute(delete(REVIEWS).where(REVIEWS.c.id.in_(review_ids))).rowcount

    def finished_before(self, at: str, tenant: str | None = None, limit: int = 500) -> list[str]:
        """Return the oldest reviews that ended before a date."""
        # Implied by the next condition, and indexed.
        conditions = [
            REVIEWS.c.created_at < at,
            REVIEWS.c.finished_at < at,
            REVIEWS.c.status.in_(FINISHED),
        ]
        if tenant is not None:
            conditions.append(REVIEWS.c.tenant == tenant)
        wanted = select(REVIEWS.c.id).where(*conditions).order_by(REVIEWS.c.finished_at).limit(limit)
        return [row["id"] for row in self._database.rows(wanted)]

    def counts(self) -> dict[tuple[str, str], int]:
        """Count unfinished reviews by tenant and status."""
        wanted = (
            select(REVIEWS.c.tenant, REVIEWS.c.status, func.count())
            .where(REVIEWS.c.status.in_(("queued", "running")))
            .group_by(REVIEWS.c.tenant, REVIEWS.c.status)
        )
        with self._database.transaction() as connection:
            return {(tenant, status): count for tenant, status, count in connection.execute(wanted)}

    def statuses(self, review_ids: Sequence[str]) -> dict[str, tuple[ReviewStatus, int]]:
        """Return status and number of events of each review."""
        wanted = select(REVIEWS.c.id, REVIEWS.c.status, REVIEWS.c.events).where(REVIEWS.c.id.in_(review_ids))
        return {row["id"]: (row["status"], row["events"]) for row in self._database.rows(wanted)}

    def owners(self, review_ids: Sequence[str]) -> dict[str, str | None]:
        """Return the worker of each review."""
        wanted = select(REVIEWS.c.id, REVIEWS.c.owner).where(REVIEWS.c.id.in_(review_ids))
        return {row["id"]: row["owner"] for row in self._database.rows(wanted)}

    def unfinished_since(self, before: str, limit: int = 100) -> list[KeptReview]:
        """Return unfinished reviews from before a date, oldest first."""
        wanted = (
            select(*_COLUMNS)
            .where(REVIEWS.c.status.in_(("queued", "running")), REVIEWS.c.created_at < before)
            .order_by(REVIEWS.c.created_at)
            .limit(limit)
        )
        return [_review(row) for row in self._database.rows(wanted)]

    def each_of(self, tenant: str, review_ids: Sequence[str]) -> dict[str, KeptReview]:
        """Return a tenant's reviews by their ids."""
        wanted = select(*_COLUMNS).where(REVIEWS.c.tenant == tenant, REVIEWS.c.id.in_(review_ids))
        return {row["id"]: _review(row) for row in self._database.rows(wanted)}

    def open_of(self, tenant: str, url: str) -> list[KeptReview]:
        """Return the unfinished reviews of a pull or merge request."""
        conditions = (
            REVIEWS.c.tenant == tenant,
            REVIEWS.c.url == url,
            REVIEWS.c.status.in_(("queued", "running")),
        )
        return [_review(row) for row in self._database.rows(select(*_COLUMNS).where(*conditions))]


def _refuse_beyond(connection: Connection, tenant: str, most: int | None) -> None:
    if most is None:
        return
    waiting = and_(REVIEWS.c.tenant == tenant, REVIEWS.c.status == "queued")
    count = connection.execute(select(func.count()).where(waiting)).scalar_one()
    if count >= most:
        raise FullQueue(count)


def _is_same(wanted: Wanted) -> ColumnElement[bool]:
    return and_(REVIEWS.c.tenant == wanted.tenant, REVIEWS.c.change_key == wanted.change_key)


def _is_it(review_id: str, tenant: str | None) -> ColumnElement[bool]:
    is_it = REVIEWS.c.id == review_id
    return is_it if tenant is None else and_(is_it, REVIEWS.c.tenant == tenant)


def _conditions(chosen: Filter) -> list[ColumnElement[bool]]:
    equal = {name: getattr(chosen, name) for name in ("status", "repository", "verdict", "url")}
    conditions = [REVIEWS.c[name] == value for name, value in equal.items() if value is not None]
    if chosen.search:
        words = (REVIEWS.c.title, REVIEWS.c.repository, REVIEWS.c.url, REVIEWS.c.id)
        conditions.append(or_(*(column.icontains(chosen.search, autoescape=True) for column in words)))
    return conditions


def _new_row(wanted: Wanted) -> dict[str, Any]:
    request = wanted.request
    return {
        "id": wanted.id,
        "tenant": wanted.tenant,
        "status": "queued",
        "created_at": wanted.created_at,
        "source": request.source,
        "repository": request.repository,
        "base": request.base,
        "head": request.head,
        "title": request.title,
        "url": request.url,
        "series": request.series,
        "submitted_by": wanted.submitted_by,
        "change_key": wanted.change_key,
        "request": request.model_dump_json(),
    }


def _first(connection: Connection, condition: ColumnElement[bool]) -> KeptReview | None:
    row = connection.execute(select(*_COLUMNS).where(condition).limit(1)).mappings().one_or_none()
    return _review(row) if row else None


def _one(connection: Connection, condition: ColumnElement[bool]) -> KeptReview:
    return _review(connection.execute(select(*_COLUMNS).where(condition)).mappings().one())


def _review(row: Mapping[Any, Any]) -> KeptReview:
    values = dict(row)
    if values["outcome"] is not None:
        values["outcome"] = ReviewOutcome.model_validate_json(values["outcome"])
    return KeptReview.model_validate(values)
