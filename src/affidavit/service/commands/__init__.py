"""Hold the commands of the service."""
