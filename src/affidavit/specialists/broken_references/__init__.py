"""What the change takes away or alters, and who still relies on it."""
