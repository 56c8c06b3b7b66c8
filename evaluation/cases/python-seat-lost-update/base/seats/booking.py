"""Seats of shows; many web workers book at the same time."""

import sqlite3


class SoldOut(Exception):
    """No seat is left."""


def book(connection: sqlite3.Connection, show: int) -> None:
    changed = connection.execute("UPDATE shows SET free = free - 1 WHERE id = ? AND free > 0", (show,))
    connection.commit()
    if changed.rowcount == 0:
        raise SoldOut(show)
