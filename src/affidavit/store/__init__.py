"""Store reports, labels, rollouts and series of reviews in a SQLite file."""
