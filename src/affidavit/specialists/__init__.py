"""Propose findings: model specialists, and the search for broken references."""
