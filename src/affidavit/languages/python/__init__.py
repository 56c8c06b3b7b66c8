"""Python: files and import statements in, the modules that they name out."""
