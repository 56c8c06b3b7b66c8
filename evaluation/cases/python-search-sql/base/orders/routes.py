"""The order desk's pages, as functions of a request."""

import sqlite3

from orders import repository


def list_orders(connection: sqlite3.Connection, query: dict[str, str]) -> dict[str, object]:
    limit = min(int(query.get("limit", "20")), 100)
    return {"orders": repository.newest(connection, limit)}
