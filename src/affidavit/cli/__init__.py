"""Define the command line, one module per command."""
