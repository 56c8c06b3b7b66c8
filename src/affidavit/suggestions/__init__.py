"""Try the patches of findings before they are offered."""
