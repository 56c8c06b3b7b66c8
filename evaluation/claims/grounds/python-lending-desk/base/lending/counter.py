"""What a reader sees at the counter."""

from lending.desk import Desk, Refused
from lending.limits import LOAN_DAYS


def lend_page(desk: Desk, reader: str, title: str) -> str:
    try:
        desk.lend(reader, title)
    except Refused as reason:
        return f"Sorry: {reason}"
    return f"{title} is yours for {LOAN_DAYS} days"


def give_back_page(desk: Desk, reader: str, title: str) -> str:
    try:
        desk.give_back(reader, title)
    except (KeyError, ValueError):
        return "You have no such book"
    return "Thank you"
