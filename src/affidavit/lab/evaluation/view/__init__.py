"""Show an evaluation: scores in, text, markdown or a page out."""
