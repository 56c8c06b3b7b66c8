"""How analysers are run: a checkout of each side in, the findings that the change makes new out."""
