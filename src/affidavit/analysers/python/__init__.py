"""What several analysers of Python share: a file's text in, its syntax, names and data flow out."""
