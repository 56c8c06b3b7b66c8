"""The service: reviews are asked for over HTTP, done as durable work, and told as a stream of events."""
