"""The monthly report of a company."""

from collections.abc import Callable

Sales = Callable[[str, str], list[int]]


def monthly_report(company: str, month: str, sales: Sales) -> str:
    amounts = sales(company, month)
    return f"{month}: {len(amounts)} sales, {sum(amounts)} cents"
