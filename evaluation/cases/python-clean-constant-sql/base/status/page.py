"""The status page, for administrators."""

import sqlite3


def status(connection: sqlite3.Connection) -> dict[str, object]:
    version = connection.execute("SELECT sqlite_version()").fetchone()[0]
    return {"database": version}
