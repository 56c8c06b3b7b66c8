"""Finding in trees: patterns in, the paths and lines that match out."""
