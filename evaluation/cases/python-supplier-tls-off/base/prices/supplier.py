"""Prices from the supplier's service."""

import requests

HOST = "https://prices.supplier.example"
TIMEOUT_SECONDS = 10


def fetch_prices(token: str) -> dict[str, int]:
    """Article number to price in cents."""
    reply = requests.get(
        f"{HOST}/v1/prices", headers={"Authorization": f"Bearer {token}"}, timeout=TIMEOUT_SECONDS
    )
    reply.raise_for_status()
    return {row["article"]: row["cents"] for row in reply.json()}
