"""Measure the reviewer on cases with known problems."""
