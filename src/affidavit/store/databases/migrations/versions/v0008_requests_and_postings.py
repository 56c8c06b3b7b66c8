"""What a caller's key was first sent with, and what was posted of a review."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """A key names a request, not a review: it moves to a table of its own, with the digest of the request."""
    review = sa.Column("review_id", TEXT, sa.ForeignKey("reviews.id", ondelete="CASCADE"), nullable=False)
    op.create_table(
        "request_keys",
        sa.Column("tenant", TEXT, primary_key=True),
        sa.Column("key", TEXT, primary_key=True),
        sa.Column("digest", TEXT, nullable=False),
        review,
    )
    op.execute(
        "INSERT INTO request_keys (tenant, key, digest, review_id) "
        "SELECT tenant, idempotency_key, '', id FROM reviews WHERE idempotency_key IS NOT NULL"
    )
    op.drop_index("one_review_of_a_request", "reviews")
    op.drop_column("reviews", "idempotency_key")
    # Whether programs are run is the operator's word alone. A quote inside a text is escaped: this is none.
    op.execute("""UPDATE reviews SET request = replace(request, ',"allows_run"\\:false', '')""")
    op.create_table(
        "postings",
        sa.Column("review_id", TEXT, sa.ForeignKey("reviews.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
        *(sa.Column(name, TEXT, nullable=False) for name in ("state", "asked_by", "asked_at")),
        sa.Column("finished_at", TEXT),
        sa.Column("reason", TEXT),
        sa.Column("actions", sa.Integer, nullable=False, server_default="0"),
        sa.Column("notes", TEXT, nullable=False, server_default="[]"),
    )
