"""Stored data: reviews, events, exchanges, tokens, tenants and workers."""
