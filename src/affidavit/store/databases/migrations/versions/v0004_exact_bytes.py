"""Reports as the bytes that were written, with their digest."""

from hashlib import sha256

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
REPORTS = sa.table("reports", sa.column("id"), sa.column("body"), sa.column("digest"))
FIRST_NUMBER_OF_ALEMBIC = 4


def upgrade() -> None:
    """The text of a report becomes its bytes; older programs see it by SQLite's own number."""
    op.add_column("reports", sa.Column("digest", TEXT))
    _fill_digests(op.get_bind())
    with op.batch_alter_table("reports") as reports:
        # SQLite takes a missing key for an allowed one unless it is forbidden.
        reports.alter_column("id", existing_type=TEXT, nullable=False)
        reports.alter_column(
            "body",
            existing_type=TEXT,
            type_=sa.LargeBinary,
            existing_nullable=False,
            postgresql_using="convert_to(body, 'UTF8')",
        )
        reports.alter_column("digest", existing_type=TEXT, nullable=False)
    if op.get_bind().dialect.name == "sqlite":
        op.execute(f"PRAGMA user_version = {FIRST_NUMBER_OF_ALEMBIC}")


def _fill_digests(connection: sa.Connection) -> None:
    """One report at a time: a store may be larger than the memory."""
    for report_id in connection.execute(sa.select(REPORTS.c.id)).scalars().all():
        is_it = REPORTS.c.id == report_id
        body = connection.execute(sa.select(REPORTS.c.body).where(is_it)).scalar_one()
        digest = sha256(body.encode()).hexdigest()
        connection.execute(sa.update(REPORTS).where(is_it).values(digest=digest))
