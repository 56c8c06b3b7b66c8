"""Define the tables of the store, the same for SQLite and PostgreSQL."""

from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    ColumnElement,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    exists,
    text,
    true,
)
from sqlalchemy.types import TypeDecorator, TypeEngine

from affidavit.records.iteration import DEFAULT_TENANT
from affidavit.store.file import storable


class KeptText(TypeDecorator[str]):
    """Text that every database can store, sorted by code point."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        # Not through `type_descriptor`, which makes a VARCHAR of it.
        return Text(collation="C") if dialect.name == "postgresql" else Text()

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Replace NUL and lone surrogates, which databases refuse."""
        del dialect
        return None if value is None else storable(value)


METADATA = MetaData()

REPORTS = Table(
    "reports",
    METADATA,
    Column("id", KeptText, primary_key=True),
    Column("created_at", KeptText, nullable=False),
    Column("repository", KeptText),
    Column("base", KeptText, nullable=False),
    Column("head", KeptText, nullable=False),
    Column("decision", KeptText, nullable=False),
    # The bytes that were written: a report must come back as it was signed. The columns are for searching.
    Column("body", LargeBinary, nullable=False),
    Column("digest", KeptText, nullable=False),
)

FINDINGS = Table(
    "findings",
    METADATA,
    Column("report_id", KeptText, ForeignKey(REPORTS.c.id, ondelete="CASCADE"), primary_key=True),
    Column("candidate_id", KeptText, primary_key=True),
    Column("fingerprint", KeptText, nullable=False),
    Column("specialist", KeptText, nullable=False),
    Column("severity", KeptText, nullable=False),
    Column("category", KeptText, nullable=False),
    Column("status", KeptText, nullable=False),
    Column("withheld", KeptText),
    Column("title", KeptText, nullable=False),
    Column("file", KeptText, nullable=False),
    Column("line", Integer, nullable=False),
    Index("findings_by_fingerprint", "fingerprint"),
)

# Rows are added and never changed: the newest row of a finding is its label, the others its history.
LABELS = Table(
    "labels",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("report_id", KeptText, ForeignKey(REPORTS.c.id, ondelete="CASCADE"), nullable=False),
    Column("candidate_id", KeptText, nullable=False),
    Column("label", KeptText, CheckConstraint("label IN ('valid', 'wrong', 'nit')")),
    Column("why", KeptText, nullable=False),
    Column("labelled_by", KeptText, nullable=False),
    Column("source", KeptText, nullable=False),
    Column("labelled_at", KeptText, nullable=False),
    # A report is never rewritten: a label names the bytes it is about.
    Column("report_digest", KeptText, nullable=False, server_default=""),
    Index("labels_by_finding", "report_id", "candidate_id", "number"),
    sqlite_autoincrement=True,
)

_IS_RUNNING = text("state = 'running'")
ROLLOUTS = Table(
    "rollouts",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column(
        "state", KeptText, CheckConstraint("state IN ('running', 'promoted', 'rolled_back')"), nullable=False
    ),
    Column("body", KeptText, nullable=False),
    Index(
        "one_rollout_at_a_time",
        "state",
        unique=True,
        sqlite_where=_IS_RUNNING,
        postgresql_where=_IS_RUNNING,
    ),
    sqlite_autoincrement=True,
)

# The newest review of a change counts, so that one change cannot fill a sample.
ROLLOUT_REVIEWS = Table(
    "rollout_reviews",
    METADATA,
    Column("rollout", Integer, ForeignKey(ROLLOUTS.c.number, ondelete="CASCADE"), primary_key=True),
    Column("change_key", KeptText, primary_key=True),
    Column("body", KeptText, nullable=False),
)

# The series of reviews of changes, in the order in which they were kept.
ITERATIONS = Table(
    "iterations",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("repository", KeptText, nullable=False),
    Column("series", KeptText, nullable=False),
    Column("iteration", Integer, nullable=False),
    Column("report_id", KeptText, ForeignKey(REPORTS.c.id, ondelete="CASCADE"), nullable=False),
    Column("tree", KeptText, nullable=False),
    Column("body", KeptText, nullable=False),
    Index("iterations_by_series", "repository", "series", "number"),
    sqlite_autoincrement=True,
)


# A review of the service. Its report has the same id.
_IS_CURRENT = text("is_current = 1")
REVIEWS = Table(
    "reviews",
    METADATA,
    Column("id", KeptText, primary_key=True),
    Column("tenant", KeptText, nullable=False),
    Column("status", KeptText, nullable=False),
    Column("created_at", KeptText, nullable=False),
    Column("source", KeptText, nullable=False),
    Column("submitted_by", KeptText, nullable=False),
    # Two requests for the same change are one review; a new one replaces it.
    Column("change_key", KeptText, nullable=False),
    # The request may be large, and is read separately.
    Column("request", KeptText, nullable=False),
    Column("started_at", KeptText),
    Column("finished_at", KeptText),
    Column("repository", KeptText),
    Column("base", KeptText),
    Column("head", KeptText),
    Column("url", KeptText),
    Column("stage", KeptText),
    Column("reason", KeptText),
    Column("verdict", KeptText),
    Column("outcome", KeptText),
    # The worker; writes by any other worker are rejected.
    Column("owner", KeptText),
    Column("title", KeptText, nullable=False, server_default=""),
    Column("cost_usd", Float),
    Column("tokens", Integer, nullable=False, server_default="0"),
    Column("attempt", Integer, nullable=False, server_default="0"),
    Column("events", Integer, nullable=False, server_default="0"),
    Column("is_current", Integer, nullable=False, server_default="1"),
    # The series of reviews that it belongs to, its place there, and the report that it follows.
    Column("series", KeptText),
    Column("iteration", Integer),
    Column("follows", KeptText),
    # Earlier review and prompts, chosen once: a worker that takes over uses the same.
    Column("drawn", KeptText),
    Index("reviews_newest_first", "tenant", "created_at", "id"),
    Index("reviews_by_status", "status", "created_at"),
    Index(
        "one_review_of_a_change",
        "tenant",
        "change_key",
        unique=True,
        sqlite_where=_IS_CURRENT,
        postgresql_where=_IS_CURRENT,
    ),
)


def is_of_tenant(report_id: ColumnElement[str], tenant: str | None) -> ColumnElement[bool]:
    """Select a tenant's reports (None: all); one without a review belongs to the default tenant."""
    if tenant is None:
        return true()
    if tenant == DEFAULT_TENANT:
        return ~_has_review(report_id, REVIEWS.c.tenant != tenant)
    return _has_review(report_id, REVIEWS.c.tenant == tenant)


def is_completed(report_id: ColumnElement[str]) -> ColumnElement[bool]:
    """Select reports of the command line and of completed reviews."""
    return ~_has_review(report_id, REVIEWS.c.status != "completed")


def _has_review(report_id: ColumnElement[str], condition: ColumnElement[bool]) -> ColumnElement[bool]:
    # Not `IN`, for which PostgreSQL reads all reviews however few reports are asked for.
    return exists().where(REVIEWS.c.id == report_id, condition)


VERSION = Table(
    "store_version",
    MetaData(),
    Column("version_num", String(32), primary_key=True),
)
