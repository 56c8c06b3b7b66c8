"""Try another prompt version on a slice of the changes: counts in, promotion or roll-back out."""
