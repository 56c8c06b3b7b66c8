"""Read cases with known problems, and open their changes."""
