"""Run processes, keep private files, handle signals, and clean up."""
