"""The loop of reviews and a coding agent: review, feedback, agent, review, until there is nothing to gain."""
