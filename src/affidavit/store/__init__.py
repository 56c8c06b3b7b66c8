"""The store: reports, labels and rollouts go in, and come out as they were; SQLite or PostgreSQL."""
