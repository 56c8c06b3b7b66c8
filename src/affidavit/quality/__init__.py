"""Measure reviews by labels and error rates, and choose and roll out prompts."""
