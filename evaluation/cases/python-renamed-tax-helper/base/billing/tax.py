"""Value-added tax in cents."""

from decimal import ROUND_HALF_UP, Decimal

RATES = {"standard": Decimal("0.19"), "reduced": Decimal("0.07")}


def vat(net_cents: int, kind: str = "standard") -> int:
    """The tax on a net price."""
    exact = net_cents * RATES[kind]
    return int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP))


def with_vat(net_cents: int, kind: str = "standard") -> int:
    """The net price and its tax."""
    return net_cents + vat(net_cents, kind)
