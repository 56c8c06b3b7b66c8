"""Posting as durable work: a finished review in, its comments on a forge out."""
