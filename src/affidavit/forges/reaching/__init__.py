"""Asking a forge: who we are there, which hosts may be asked, and how a question travels."""
