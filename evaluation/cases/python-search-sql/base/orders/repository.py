"""Reads orders from the shop's database."""

import sqlite3
from dataclasses import dataclass


@dataclass(frozen=True)
class Order:
    number: int
    customer: str
    total_cents: int


COLUMNS = "number, customer, total_cents"


def by_number(connection: sqlite3.Connection, number: int) -> Order | None:
    row = connection.execute(f"SELECT {COLUMNS} FROM orders WHERE number = ?", (number,)).fetchone()
    return Order(*row) if row else None


def newest(connection: sqlite3.Connection, limit: int) -> list[Order]:
    rows = connection.execute(f"SELECT {COLUMNS} FROM orders ORDER BY number DESC LIMIT ?", (limit,))
    return [Order(*row) for row in rows]
