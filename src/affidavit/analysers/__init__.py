"""Analysers: programs that are run on base and head, and what their diagnostics mean."""
