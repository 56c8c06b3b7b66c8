"""Reports for the back office."""

import sqlite3


def orders_of(database: sqlite3.Connection, customer: str) -> list[tuple[int, str]]:
    query = "SELECT id, state FROM orders WHERE customer = ?"
    return database.execute(query, (customer,)).fetchall()


def orders_with_coupon(database: sqlite3.Connection, coupon: str) -> list[tuple[int, str]]:
    query = f"SELECT id, state FROM orders WHERE coupon = '{coupon}'"
    return database.execute(query).fetchall()
