"""The overview page."""

from tables.table import Row, render


def overview(rows: list[Row]) -> str:
    return "\n".join(render(rows))
