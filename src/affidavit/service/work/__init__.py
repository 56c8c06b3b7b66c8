"""Durable work: a review is queued, taken by a worker, done in its own process, and kept step by step."""
