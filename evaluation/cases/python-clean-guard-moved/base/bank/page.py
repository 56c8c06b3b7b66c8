"""The form for deposits."""

from bank.account import Account


def submit(account: Account, form: dict[str, str]) -> str:
    try:
        account.receive(form.get("amount", ""))
    except ValueError as error:
        return f"Please check the amount: {error}"
    return f"New balance: {account.cents / 100:.2f}"
