"""Run one analyser on base and head, and keep what the change introduces."""
