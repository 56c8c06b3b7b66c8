"""Entries with the moment at which they were made."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Entry:
    made_at: datetime
    cents: int
