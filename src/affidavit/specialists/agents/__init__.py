"""Specialists that are models, and their verifier: a change and its map in, talks and replies out."""
