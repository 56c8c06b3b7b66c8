"""Show labels and measures: rates in, text, markdown or a page out."""
