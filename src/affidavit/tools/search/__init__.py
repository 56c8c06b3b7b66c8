"""The tool that searches, and the order in which its hits are worth reading."""
