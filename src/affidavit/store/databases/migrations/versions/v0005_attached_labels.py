"""Labels name the digest of the report that they are attached to."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
REPORTS = sa.table("reports", sa.column("id"), sa.column("digest"))
LABELS = sa.table("labels", sa.column("report_id"), sa.column("report_digest"))


def upgrade() -> None:
    """Each label gets the digest of its report as it is kept."""
    op.add_column("labels", sa.Column("report_digest", TEXT, nullable=False, server_default=""))
    digest = sa.select(REPORTS.c.digest).where(REPORTS.c.id == LABELS.c.report_id).scalar_subquery()
    op.execute(sa.update(LABELS).values(report_digest=sa.func.coalesce(digest, "")))
