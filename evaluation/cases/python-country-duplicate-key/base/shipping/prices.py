"""What a parcel costs, in cents."""

from shipping.zones import ZONES

CENTS_BY_ZONE = {1: 490, 2: 990, 3: 1990}


def parcel_cents(country: str) -> int:
    return CENTS_BY_ZONE[ZONES[country]]
