"""The page that books a seat."""

import sqlite3

from seats.booking import SoldOut, book


def book_page(connection: sqlite3.Connection, show: int) -> str:
    try:
        book(connection, show)
    except SoldOut:
        return "Sold out"
    return "Booked"
