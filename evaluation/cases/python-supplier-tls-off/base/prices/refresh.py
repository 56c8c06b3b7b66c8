"""Writes the supplier's prices into the catalogue."""

from prices.supplier import fetch_prices


def refresh(catalogue: dict[str, int], token: str) -> int:
    new = fetch_prices(token)
    catalogue.update(new)
    return len(new)
