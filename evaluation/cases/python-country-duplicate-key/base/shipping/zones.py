"""The carrier's zone of each country."""

ZONES = {
    "AT": 1,
    "DE": 1,
    "FR": 2,
    "IT": 2,
    "NO": 3,
    "PL": 2,
}
