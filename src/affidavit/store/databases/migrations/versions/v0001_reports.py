"""Reports and their findings."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """The first stores made these tables before they counted their version: they may be there."""
    op.create_table(
        "reports",
        sa.Column("id", TEXT, primary_key=True),
        sa.Column("created_at", TEXT, nullable=False),
        sa.Column("repository", TEXT),
        sa.Column("base", TEXT, nullable=False),
        sa.Column("head", TEXT, nullable=False),
        sa.Column("decision", TEXT, nullable=False),
        sa.Column("body", TEXT, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "findings",
        sa.Column("report_id", TEXT, sa.ForeignKey("reports.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("candidate_id", TEXT, primary_key=True),
        sa.Column("fingerprint", TEXT, nullable=False),
        sa.Column("specialist", TEXT, nullable=False),
        sa.Column("severity", TEXT, nullable=False),
        sa.Column("category", TEXT, nullable=False),
        sa.Column("status", TEXT, nullable=False),
        sa.Column("withheld", TEXT),
        sa.Column("title", TEXT, nullable=False),
        sa.Column("file", TEXT, nullable=False),
        sa.Column("line", sa.Integer, nullable=False),
        if_not_exists=True,
    )
    op.create_index("findings_by_fingerprint", "findings", ["fingerprint"], if_not_exists=True)
