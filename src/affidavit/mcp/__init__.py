"""Serve coding agents over the Model Context Protocol: tools, submissions, reviews."""
