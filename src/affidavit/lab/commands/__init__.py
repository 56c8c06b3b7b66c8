"""Hold the commands of the laboratory."""
