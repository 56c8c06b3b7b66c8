"""The nightly run for invoices that are overdue."""

from reminders.sending import Transport, send_reminder


def remind_overdue(addresses: list[str], transport: Transport) -> None:
    for address in addresses:
        send_reminder(address, transport)
