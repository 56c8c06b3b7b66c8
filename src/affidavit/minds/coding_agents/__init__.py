"""Run a coding agent's command line as a model: one process a conversation, with our tools alone."""
