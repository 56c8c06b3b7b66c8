"""Make the map of a change: what it touches, and what depends on it."""
