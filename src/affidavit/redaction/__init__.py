"""Redact secrets in texts and files."""
