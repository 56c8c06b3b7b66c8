"""Describe each language: its file names, grammar, imports and tests."""
