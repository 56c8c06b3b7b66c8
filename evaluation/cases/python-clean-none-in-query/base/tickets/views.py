"""Lists of tickets."""

from tickets.query import Field, Row

state = Field("state")
assignee = Field("assignee")


def open_tickets(rows: list[Row]) -> list[Row]:
    condition = state == "open"
    return [row for row in rows if condition.holds(row)]
