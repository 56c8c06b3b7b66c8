"""Rollout of prompt and schema versions."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
STATES = "state IN ('running', 'promoted', 'rolled_back')"
IS_RUNNING = sa.text("state = 'running'")


def upgrade() -> None:
    """Rollouts, what was decided, the reviews that count, and what is read no more."""
    op.create_table(
        "rollouts",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("state", TEXT, sa.CheckConstraint(STATES), nullable=False),
        sa.Column("body", TEXT, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "one_rollout_at_a_time",
        "rollouts",
        ["state"],
        unique=True,
        sqlite_where=IS_RUNNING,
        postgresql_where=IS_RUNNING,
    )
    op.create_table(
        "rollout_decisions",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("is_announced", sa.Integer, nullable=False),
        sa.Column("body", TEXT, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "rollout_reviews",
        sa.Column(
            "rollout", sa.Integer, sa.ForeignKey("rollouts.number", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("change_key", TEXT, primary_key=True),
        sa.Column("body", TEXT, nullable=False),
    )
    op.create_table(
        "retired_versions",
        sa.Column("kind", TEXT, sa.CheckConstraint("kind IN ('prompt', 'schema')"), primary_key=True),
        sa.Column("version", TEXT, primary_key=True),
    )
