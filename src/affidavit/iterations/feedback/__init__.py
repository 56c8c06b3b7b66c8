"""A report in, the document that asks people and coding agents for the next step out."""
