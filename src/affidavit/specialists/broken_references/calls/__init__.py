"""Calls that surely mean one definition: it is gone, or takes another number of arguments than they pass."""
