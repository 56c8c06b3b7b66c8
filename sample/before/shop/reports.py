"""Reports for the back office."""

import sqlite3


def orders_of(database: sqlite3.Connection, customer: str) -> list[tuple[int, str]]:
    query = "SELECT id, state FROM orders WHERE customer = ?"
    return database.execute(query, (customer,)).fetchall()
