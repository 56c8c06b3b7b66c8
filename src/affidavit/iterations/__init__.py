"""Follow the reviews of one change, and run the loop with a coding agent."""
