"""The tables that the import fills."""

TABLES = ("articles", "prices", "shelves")
