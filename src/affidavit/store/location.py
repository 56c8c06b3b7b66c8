"""Where a store lies: the folder or address that somebody names goes in, a file or a database comes out."""

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from affidavit.errors import StoreError

FILE_NAME = "affidavit.db"
SERVER_SCHEMES = ("postgresql", "postgres", "postgresql+psycopg")
_SECRET = ("password", "secret", "scram")
"""Parts of the names of options that only the service may know."""


@dataclass(frozen=True)
class SqliteFile:
    """A file in a folder of the user; created on first use, readable by the user alone."""

    path: Path

    @property
    def name(self) -> str:
        return str(self.path)

    def exists(self) -> bool:
        return self.path.exists()

    @property
    def is_fixed(self) -> bool:
        """Check for a file in a folder that cannot be written: it can still be read."""
        return self.path.is_file() and not os.access(self.path.parent, os.W_OK)


@dataclass(frozen=True)
class PostgresDatabase:
    """An existing PostgreSQL database; its tables are created on first use."""

    url: str

    @property
    def name(self) -> str:
        parts = urlsplit(self.url)
        user = f"{parts.username}@" if parts.username else ""
        port = f":{parts.port}" if parts.port else ""
        return f"postgresql://{user}{parts.hostname or ''}{port}{parts.path}"

    @property
    def shown(self) -> str:
        """Return the address for a command line: with its options, without secrets."""
        options = parse_qsl(urlsplit(self.url).query)
        open_ones = [(name, value) for name, value in options if not any(one in name for one in _SECRET)]
        # The driver takes a plus for a plus.
        query = urlencode(open_ones, safe="/", quote_via=quote)
        return f"{self.name}?{query}" if query else self.name

    def exists(self) -> bool:
        return True


Location = SqliteFile | PostgresDatabase


def locate(named: Path | str) -> Location:
    """Return the file in a folder, or the database at an address `postgresql://…`."""
    if isinstance(named, Path) or "://" not in named:
        return SqliteFile(Path(named) / FILE_NAME)
    scheme = named.split("://", maxsplit=1)[0]
    if scheme not in SERVER_SCHEMES:
        raise StoreError(
            f"a store cannot be kept at an address that begins with {scheme[:40]}://;"
            " name a folder, or postgresql://USER@HOST/DATABASE"
        )
    try:
        urlsplit(named).port  # noqa: B018 - reading it is what checks it
    except ValueError as error:
        raise StoreError(f"the address of the store cannot be read: {error}") from error
    return PostgresDatabase(named)
