"""Which file imports which, at a git tree: one module a language, joined by one table."""
