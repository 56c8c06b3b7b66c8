"""Reminder texts by language."""

SUBJECTS = {"de": "Zahlungserinnerung", "en": "Payment reminder", "fr": "Rappel de paiement"}
