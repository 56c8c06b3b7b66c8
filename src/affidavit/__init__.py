"""Affidavit: code review under oath."""

__version__ = "0.1.0"
HOME_PAGE = "https://affidavit.example/"
