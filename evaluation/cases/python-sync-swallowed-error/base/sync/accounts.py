"""Makes our accounts agree with the directory."""

from sync.directory import Fetch, all_people


def synchronise(accounts: set[str], fetch: Fetch) -> tuple[set[str], set[str]]:
    """The accounts to add and those to delete for good."""
    people = all_people(fetch)
    return people - accounts, accounts - people
