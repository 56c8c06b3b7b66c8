"""Series of reviews of one change."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Which report is which review of which change."""
    op.create_table(
        "iterations",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("repository", TEXT, nullable=False),
        sa.Column("series", TEXT, nullable=False),
        sa.Column("iteration", sa.Integer, nullable=False),
        sa.Column("report_id", TEXT, sa.ForeignKey("reports.id", ondelete="CASCADE"), nullable=False),
        sa.Column("tree", TEXT, nullable=False),
        sa.Column("body", TEXT, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("iterations_by_series", "iterations", ["repository", "series", "number"])
