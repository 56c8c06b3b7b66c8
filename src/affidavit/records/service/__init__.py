"""What the service keeps of its reviews beside their reports."""
