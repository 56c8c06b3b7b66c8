"""Affidavit: code review under oath."""

__version__ = "0.1.0"
