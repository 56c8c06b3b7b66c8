"""Define the tables that only the service needs, besides those of the store."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Column, Connection, ForeignKey, Index, Integer, MetaData, Table

from affidavit.store.database import insert_into
from affidavit.store.tables import REVIEWS, KeptText

TABLES = MetaData()

# The last time that a review was posted on its pull or merge request; each time has a number.
POSTINGS = Table(
    "postings",
    TABLES,
    Column("review_id", KeptText, ForeignKey(REVIEWS.c.id, ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, nullable=False),
    Column("state", KeptText, nullable=False),
    Column("asked_by", KeptText, nullable=False),
    Column("asked_at", KeptText, nullable=False),
    Column("finished_at", KeptText),
    Column("reason", KeptText),
    Column("actions", Integer, nullable=False, server_default="0"),
    Column("notes", KeptText, nullable=False, server_default="[]"),
)

REVIEW_EVENTS = Table(
    "review_events",
    TABLES,
    Column("review_id", KeptText, ForeignKey(REVIEWS.c.id, ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("name", KeptText, nullable=False),
    Column("body", KeptText, nullable=False),
    # When a review runs again, an event is recognised by its content and how often it occurred before.
    Column("identity", KeptText, nullable=False),
    Index("an_event_once", "review_id", "identity", unique=True),
)

# Every exchange with a model, by review: no other review gets answers from it.
REVIEW_EXCHANGES = Table(
    "review_exchanges",
    TABLES,
    Column("number", Integer, primary_key=True),
    Column("review_id", KeptText, ForeignKey(REVIEWS.c.id, ondelete="CASCADE"), nullable=False),
    Column("key", KeptText, nullable=False),
    Column("body", KeptText, nullable=False),
    Index("exchanges_of_a_review", "review_id", "number"),
    sqlite_autoincrement=True,
)

TENANTS = Table(
    "tenants",
    TABLES,
    Column("name", KeptText, primary_key=True),
    Column("created_at", KeptText, nullable=False),
    # Caches that are older are deleted.
    Column("deletions", Integer, nullable=False, server_default="0"),
)

TOKENS = Table(
    "tokens",
    TABLES,
    Column("id", KeptText, primary_key=True),
    Column("tenant", KeptText, ForeignKey(TENANTS.c.name, ondelete="CASCADE"), nullable=False),
    # Never the token: a stolen digest is useless.
    Column("digest", KeptText, nullable=False, unique=True),
    Column("name", KeptText, nullable=False),
    Column("roles", KeptText, nullable=False),
    Column("created_at", KeptText, nullable=False),
    Column("expires_at", KeptText),
    Column("revoked_at", KeptText),
)

KNOWN_REPOSITORIES = Table(
    "known_repositories",
    TABLES,
    Column("tenant", KeptText, primary_key=True),
    Column("name", KeptText, primary_key=True),
    Column("location", KeptText, nullable=False),
    Column("added_at", KeptText, nullable=False),
)

WORKERS = Table(
    "workers",
    TABLES,
    Column("id", KeptText, primary_key=True),
    Column("started_at", KeptText, nullable=False),
    Column("place", KeptText, nullable=False),
    Column("process", Integer, nullable=False),
    # Incremented while the worker lives; clocks of different machines are never compared.
    Column("beat", Integer, nullable=False),
)

# Deliveries of forges that were acted on, by the digest of the body.
DELIVERIES = Table(
    "deliveries",
    TABLES,
    Column("digest", KeptText, primary_key=True),
    Column("at", KeptText, nullable=False),
)


def insert_once(connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
    """Insert a row unless it is there; return whether it was inserted."""
    adding = insert_into(connection, table).values(row).on_conflict_do_nothing()
    # Not every driver returns the number of rows.
    return connection.execute(adding.returning(*table.primary_key)).first() is not None
