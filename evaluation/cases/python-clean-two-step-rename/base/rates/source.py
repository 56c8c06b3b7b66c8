"""Exchange rates."""

RATES = {"EUR": 1.0, "USD": 1.09, "CHF": 0.94}


def get(currency: str) -> float:
    return RATES[currency]
