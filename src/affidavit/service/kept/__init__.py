"""What the service keeps: reviews, their events and exchanges, tokens, tenants and workers."""
