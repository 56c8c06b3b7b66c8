"""Charges waiting payments, one after another, in a single process."""

from collections.abc import Iterable

from payments.provider import PaymentError, charge


def work(waiting: Iterable[tuple[str, int]]) -> list[str]:
    numbers = []
    for token, cents in waiting:
        try:
            numbers.append(charge(token, cents))
        except PaymentError as error:
            print(f"not charged: {error}")
    return numbers
