"""Prove a report again from its repository."""
