"""Books of entries, and secrets."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the first tables."""
    op.create_table(
        "events",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("began_s", sa.Float, nullable=False),
    )
    op.create_table(
        "entries",
        sa.Column("event", sa.String(40), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("by", sa.String(80), nullable=False),
        sa.Column("device", sa.String(40), nullable=False),
        sa.Column("at_s", sa.Float, nullable=False),
        sa.Column("fact", sa.Text, nullable=False),
        sa.Column("key", sa.String(80)),
        sa.UniqueConstraint("event", "key", name="entered_once"),
    )
    op.create_table(
        "secrets",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("kind", sa.String(12), nullable=False),
        sa.Column("event", sa.String(40), nullable=False),
        sa.Column("salt", sa.LargeBinary, nullable=False),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("about", sa.Text, nullable=False),
        sa.Column("made_s", sa.Float, nullable=False),
        sa.Column("gone_s", sa.Float),
    )


def downgrade() -> None:
    """Takes them away, with all that they hold."""
    for table in ("secrets", "entries", "events"):
        op.drop_table(table)
