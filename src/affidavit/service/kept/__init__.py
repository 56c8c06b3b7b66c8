"""Store reviews, events, exchanges, tokens, tenants and workers."""
