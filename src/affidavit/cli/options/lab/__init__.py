"""The options of the commands that measure."""
