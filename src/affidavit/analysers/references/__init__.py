"""Find uses of what a change removed."""
