"""The operating system: programs as children, several things at once, everything closed at the end."""
