"""Credit notes: an invoice that gives money back."""

from billing.tax import with_vat


def credit(net_cents: int, reason: str) -> dict[str, object]:
    return {"amount": -with_vat(net_cents), "reason": reason}
