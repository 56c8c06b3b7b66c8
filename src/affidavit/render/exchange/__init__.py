"""A report for other programs: the native report in, their formats out."""
