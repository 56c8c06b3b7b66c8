"""From what the user named to candidates: the change is opened, planned, looked at, and replies are read."""
