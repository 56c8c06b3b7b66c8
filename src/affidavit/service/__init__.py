"""Serve reviews over HTTP, run them as durable work, and stream their events."""
