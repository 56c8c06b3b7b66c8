"""Bookings; a number that is mistyped is answered with a question."""

from rooms import directory


def book(number: str, people: int, bookings: list[tuple[str, int]]) -> str:
    try:
        room = directory.find_room(number)
    except KeyError:
        return f"Which room do you mean by {number}?"
    if people > room["seats"]:
        return "The room is too small."
    bookings.append((number, people))
    return "Booked."
