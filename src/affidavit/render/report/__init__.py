"""A report for people: the native report in, terminal text or markdown out."""
