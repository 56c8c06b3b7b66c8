"""The map of a change: a change and its trees in, what it touches and what depends on it out."""
