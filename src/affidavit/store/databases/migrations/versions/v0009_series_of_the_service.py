"""Which series of reviews a review of the service belongs to, its place there, and what it follows."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Reviews of before belong to none: nobody noted the branch that they were asked for."""
    op.add_column("reviews", sa.Column("series", TEXT))
    op.add_column("reviews", sa.Column("iteration", sa.Integer))
    op.add_column("reviews", sa.Column("follows", TEXT))
