"""Coupons and the orders that they were used for."""


class CouponStore:
    def __init__(self) -> None:
        self.values: dict[str, int] = {}
        self.used_for: dict[str, str] = {}
