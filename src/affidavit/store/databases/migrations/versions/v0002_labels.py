"""Labels of findings."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """One table: what was said last counts, and what was said before stays."""
    op.create_table(
        "labels",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("report_id", TEXT, sa.ForeignKey("reports.id", ondelete="CASCADE"), nullable=False),
        sa.Column("candidate_id", TEXT, nullable=False),
        sa.Column("label", TEXT, sa.CheckConstraint("label IN ('valid', 'wrong', 'nit')")),
        sa.Column("why", TEXT, nullable=False),
        sa.Column("labelled_by", TEXT, nullable=False),
        sa.Column("source", TEXT, nullable=False),
        sa.Column("labelled_at", TEXT, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("labels_by_finding", "labels", ["report_id", "candidate_id", "number"])
