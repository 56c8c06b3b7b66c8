"""Prices and discounts."""

from decimal import Decimal


def discounted(price: Decimal, percent: int) -> Decimal:
    """The price after a discount."""
    return price - price * percent / 100


def with_tax(price: Decimal, rate: Decimal) -> Decimal:
    return price + price * rate
