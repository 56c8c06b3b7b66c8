"""Reminders for orders that were placed but not paid."""

from reminders.sending import Transport, send_reminder


def remind_unpaid(orders: list[dict[str, str]], transport: Transport) -> int:
    for order in orders:
        send_reminder(order["email"], transport)
    return len(orders)
