"""Review an opened change under the user's options, and keep the report."""
