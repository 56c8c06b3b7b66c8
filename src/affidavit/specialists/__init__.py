"""Specialists: those who propose findings."""
