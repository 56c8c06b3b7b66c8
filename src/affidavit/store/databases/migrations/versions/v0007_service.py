"""What the service keeps: reviews with their events and exchanges, who may ask, and who works."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
IS_CURRENT = sa.text("is_current = 1")
COUNTERS = ("tokens", "attempt", "events")


def upgrade() -> None:
    """Tables of their own; nothing that is kept already changes."""
    _make_reviews()
    _make_what_a_review_leaves()
    _make_access()
    _make_operation()


def _make_reviews() -> None:
    texts = ("started_at", "finished_at", "repository", "base", "head", "url", "stage", "reason", "verdict")
    op.create_table(
        "reviews",
        sa.Column("id", TEXT, primary_key=True),
        *_texts("tenant", "status", "created_at", "source", "submitted_by", "change_key", "request"),
        *(sa.Column(name, TEXT) for name in (*texts, "outcome", "owner", "idempotency_key", "change")),
        sa.Column("title", TEXT, nullable=False, server_default=""),
        sa.Column("cost_usd", sa.Float),
        *(sa.Column(name, sa.Integer, nullable=False, server_default="0") for name in COUNTERS),
        sa.Column("is_current", sa.Integer, nullable=False, server_default="1"),
    )
    op.create_index("reviews_newest_first", "reviews", ["tenant", "created_at", "id"])
    op.create_index("reviews_by_status", "reviews", ["status", "created_at"])
    op.create_index(
        "one_review_of_a_change",
        "reviews",
        ["tenant", "change_key"],
        unique=True,
        sqlite_where=IS_CURRENT,
        postgresql_where=IS_CURRENT,
    )
    op.create_index("one_review_of_a_request", "reviews", ["tenant", "idempotency_key"], unique=True)


def _make_what_a_review_leaves() -> None:
    op.create_table(
        "review_events",
        sa.Column("review_id", TEXT, sa.ForeignKey("reviews.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        *_texts("name", "body", "identity"),
    )
    op.create_index("an_event_once", "review_events", ["review_id", "identity"], unique=True)
    op.create_table(
        "review_exchanges",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("review_id", TEXT, sa.ForeignKey("reviews.id", ondelete="CASCADE"), nullable=False),
        *_texts("key", "body"),
        sqlite_autoincrement=True,
    )
    op.create_index("exchanges_of_a_review", "review_exchanges", ["review_id", "number"])


def _make_access() -> None:
    op.create_table(
        "tenants",
        sa.Column("name", TEXT, primary_key=True),
        *_texts("created_at"),
        sa.Column("limits", TEXT, nullable=False, server_default="{}"),
    )
    op.create_table(
        "tokens",
        sa.Column("id", TEXT, primary_key=True),
        sa.Column("tenant", TEXT, sa.ForeignKey("tenants.name", ondelete="CASCADE"), nullable=False),
        sa.Column("digest", TEXT, nullable=False, unique=True),
        *_texts("name", "roles", "created_at"),
        sa.Column("expires_at", TEXT),
        sa.Column("revoked_at", TEXT),
    )
    op.create_table(
        "known_repositories",
        sa.Column("tenant", TEXT, primary_key=True),
        sa.Column("name", TEXT, primary_key=True),
        *_texts("location", "added_at"),
    )
    op.create_table(
        "audit",
        sa.Column("number", sa.Integer, primary_key=True),
        *_texts("at", "tenant", "who", "action", "target"),
        sa.Column("detail", TEXT, nullable=False, server_default=""),
        sqlite_autoincrement=True,
    )
    op.create_index("audit_by_tenant", "audit", ["tenant", "number"])


def _make_operation() -> None:
    op.create_table(
        "workers",
        sa.Column("id", TEXT, primary_key=True),
        *_texts("started_at", "place"),
        sa.Column("process", sa.Integer, nullable=False),
        sa.Column("beat", sa.Integer, nullable=False),
        sa.Column("is_draining", sa.Integer, nullable=False, server_default="0"),
    )
    op.create_table(
        "spending",
        sa.Column("tenant", TEXT, primary_key=True),
        sa.Column("day", TEXT, primary_key=True),
        sa.Column("usd", sa.Float, nullable=False),
        sa.Column("tokens", sa.Integer, nullable=False),
        sa.Column("calls", sa.Integer, nullable=False),
    )
    op.create_table(
        "deliveries",
        sa.Column("forge", TEXT, primary_key=True),
        sa.Column("id", TEXT, primary_key=True),
        *_texts("at"),
    )


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, TEXT, nullable=False) for name in names]
