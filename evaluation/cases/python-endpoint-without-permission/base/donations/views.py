"""What the office sees. Requests come from anybody who is signed in, donors as well."""

from typing import Any

from donations.permissions import requires

DONATIONS: list[dict[str, Any]] = []


@requires("donations.read")
def list_donations(request: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"id": one["id"], "cents": one["cents"]} for one in DONATIONS]


@requires("donations.read")
def show_donation(request: dict[str, Any], number: int) -> dict[str, Any]:
    return DONATIONS[number]


@requires("donations.write")
def correct_donation(request: dict[str, Any], number: int) -> None:
    DONATIONS[number]["cents"] = int(request["form"]["cents"])
