"""Removing an account, which the law wants to see in the trail."""

from accounts.audit import record


async def remove_account(actor: str, accounts: set[str], account: str) -> None:
    accounts.discard(account)
    record(actor, "remove", account)
