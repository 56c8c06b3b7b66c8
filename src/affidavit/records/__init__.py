"""Define the frozen data that stages exchange, read from JSON with checks and written as JSON."""
