"""Orders and their totals."""

from dataclasses import dataclass
from decimal import Decimal

from shop.prices import discounted


@dataclass
class Line:
    name: str
    price: Decimal
    count: int


def total(lines: list[Line], percent: int = 0, coupon: str = "") -> Decimal:
    """The sum of all lines, less discount and coupon."""
    amount = sum((line.price * line.count for line in lines), Decimal(0))
    return discounted(amount, percent, coupon)
