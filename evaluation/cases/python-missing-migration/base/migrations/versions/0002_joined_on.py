"""When a member joined."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("members", sa.Column("joined_on", sa.Date, nullable=False, server_default="2000-01-01"))


def downgrade() -> None:
    op.drop_column("members", "joined_on")
