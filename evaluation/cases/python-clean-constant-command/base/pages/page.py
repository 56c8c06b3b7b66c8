"""Whole pages."""

from pages.footer import footer


def page(body: str) -> str:
    return f"{body}\n{footer()}"
