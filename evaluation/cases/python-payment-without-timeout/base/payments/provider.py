"""The payment provider's service."""

import requests

ADDRESS = "https://pay.old.example/charge"
TIMEOUT_SECONDS = 15


class PaymentError(Exception):
    """The provider refused, or could not be reached."""


def charge(token: str, cents: int) -> str:
    """Charge the card; the provider's number of the payment."""
    try:
        reply = requests.post(ADDRESS, data={"card": token, "amount": cents}, timeout=TIMEOUT_SECONDS)
        reply.raise_for_status()
    except requests.RequestException as error:
        raise PaymentError(str(error)) from error
    return reply.text.strip()
