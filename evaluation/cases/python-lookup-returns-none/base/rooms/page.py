"""What the display beside the door shows."""

from rooms.directory import find_room


def door_text(number: str) -> str:
    try:
        room = find_room(number)
    except KeyError:
        return "no such room"
    return f"{number}: {room['seats']} seats"
