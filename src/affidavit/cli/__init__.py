"""The command line: one module a command, in rooms by what they are for."""
