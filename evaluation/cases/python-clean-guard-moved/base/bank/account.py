"""Accounts in cents."""


class Account:
    def __init__(self) -> None:
        self.cents = 0

    def _deposit(self, cents: int) -> None:
        if cents <= 0:
            raise ValueError("an amount is positive")
        self.cents += cents

    def receive(self, text: str) -> None:
        """Take an amount such as "12.50" from the form."""
        self._deposit(parse_amount(text))


def parse_amount(text: str) -> int:
    """The amount in cents; raises ValueError for anything that is no positive amount."""
    euros, _, rest = text.partition(".")
    if not euros.isdecimal() or not (rest == "" or (rest.isdecimal() and len(rest) == 2)):
        raise ValueError(f"{text!r} is no amount")
    cents = int(euros) * 100 + int(rest or "0")
    if cents <= 0:
        raise ValueError("an amount is positive")
    return cents
