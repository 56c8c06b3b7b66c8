"""An earlier review and a new head in, what became of each of its findings out: the parts of that."""
