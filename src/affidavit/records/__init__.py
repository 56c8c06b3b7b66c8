"""Frozen data that the stages exchange; it is read from JSON with checks, and written as JSON."""
