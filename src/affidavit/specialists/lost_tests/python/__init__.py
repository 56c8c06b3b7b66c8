"""The tests of Python files: what is run of them, how often, and what it asks for."""
