"""Rows as text."""

Row = dict[str, str]


def render(rows: list[Row]) -> list[str]:
    """One line for each row; what a row lacks stays empty."""
    return [" | ".join([row.get("name", ""), row.get("price", "")]) for row in rows]
