"""Whether a worker drains is nobody's business but its own: the column that nobody wrote or read goes."""

from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """What a draining worker leaves undone it hands on itself."""
    op.drop_column("workers", "is_draining")
