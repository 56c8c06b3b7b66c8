"""Amounts in other currencies."""

from rates.source import get


def convert(amount: float, currency: str) -> float:
    return round(amount * get(currency), 2)
