"""Which version of the work each worker can go on with, so that nothing waits for one that nobody has."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Workers of before are of the first version: there was no other."""
    op.add_column("workers", sa.Column("version", TEXT, nullable=False, server_default="1"))
