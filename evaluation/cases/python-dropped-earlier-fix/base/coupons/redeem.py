"""Turns a coupon into a discount."""

from coupons.store import CouponStore


class CouponError(Exception):
    """The coupon gives nothing."""


def redeem(store: CouponStore, code: str, order: str) -> int:
    """The discount in cents."""
    code = code.strip().upper()
    if code not in store.values:
        raise CouponError("there is no such coupon")
    store.used_for[code] = order
    return store.values[code]
