"""Read the results of analysers that write a standard format: its text in, findings out."""
