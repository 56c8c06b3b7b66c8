"""Figures for the owners."""

from typing import Any


def turnover(connection: Any) -> int:
    return connection.execute("SELECT sum(total_cents) FROM orders").fetchone()[0]
