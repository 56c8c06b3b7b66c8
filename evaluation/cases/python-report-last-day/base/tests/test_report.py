from datetime import datetime

from bookkeeping.entries import Entry
from bookkeeping.report import month_total


def test_only_entries_of_the_month_count():
    entries = [Entry(datetime(2024, 5, 31, 23, 0), 100), Entry(datetime(2024, 6, 1, 0, 30), 40)]
    assert month_total(entries, 2024, 5) == 100
