"""What happens when a customer pays."""

from decimal import Decimal

from shop.prices import discounted, with_tax

LOYALTY_PERCENT = 5


def amount_due(price: Decimal, is_loyal: bool) -> Decimal:
    """What a customer pays, with tax."""
    if is_loyal:
        price = discounted(price, LOYALTY_PERCENT)
    return with_tax(price, Decimal("0.19"))
