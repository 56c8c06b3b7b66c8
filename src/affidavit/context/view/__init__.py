"""Show the map of a change: a map in, text, JSON or a page out."""
