"""Sends reminders through whatever transport is given."""

from collections.abc import Callable

from reminders.texts import SUBJECTS

Transport = Callable[[str, str], None]


def send_reminder(address: str, transport: Transport) -> None:
    transport(address, SUBJECTS["de"])
