"""Affidavit for other agents: its tools, its contract and its reviews over the Model Context Protocol."""
