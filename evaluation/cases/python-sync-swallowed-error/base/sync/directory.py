"""People as the company's directory knows them."""

from collections.abc import Callable

Fetch = Callable[[int], list[str]]


def all_people(fetch: Fetch) -> set[str]:
    """Everybody in the directory; `fetch` gives a page of names and raises OSError where it fails."""
    people: set[str] = set()
    page = 0
    while names := fetch(page):
        people.update(names)
        page += 1
    return people
