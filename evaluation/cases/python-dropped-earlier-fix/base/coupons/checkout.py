"""The last step of an order."""

from coupons.redeem import CouponError, redeem
from coupons.store import CouponStore


def total(store: CouponStore, order: str, cents: int, code: str) -> int:
    try:
        return max(0, cents - redeem(store, code, order))
    except CouponError:
        return cents
