"""Rooms by their number."""

ROOMS: dict[str, dict[str, int]] = {"1.01": {"seats": 12}, "2.07": {"seats": 40}}


def find_room(number: str) -> dict[str, int]:
    """The room; raises KeyError where there is none."""
    return ROOMS[number]
