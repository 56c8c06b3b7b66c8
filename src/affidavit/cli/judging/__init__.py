"""Commands in which people judge findings, and that measure how good reviews are."""
