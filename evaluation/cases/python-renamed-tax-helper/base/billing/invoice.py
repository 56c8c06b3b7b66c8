"""Invoices as plain text."""

from billing.tax import vat, with_vat


def invoice_lines(positions: list[tuple[str, int]]) -> list[str]:
    lines = [f"{name}: {with_vat(net)}" for name, net in positions]
    tax = sum(vat(net) for _, net in positions)
    return [*lines, f"of which tax: {tax}"]
