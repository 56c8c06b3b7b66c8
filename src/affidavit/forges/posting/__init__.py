"""Plan and apply the actions that post a report."""
