"""A report as one self-contained page: the native report in, the diff with findings and proof out."""
