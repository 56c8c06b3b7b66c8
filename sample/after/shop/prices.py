"""Prices, discounts and coupons."""

from decimal import Decimal

CENT = Decimal("0.01")


def discounted(price: Decimal, percent: int, coupon: str) -> Decimal:
    """The price after a discount and a coupon, rounded to a cent."""
    reduced = price - price * percent / 100
    return (reduced - coupon_value(coupon)).quantize(CENT)


def coupon_value(coupon: str) -> Decimal:
    """What a coupon is worth; an unknown one is worth nothing."""
    return COUPON_VALUES.get(coupon, Decimal(0))


def with_tax(price: Decimal, rate: Decimal) -> Decimal:
    return price + price * rate
