"""Write a report in the formats of other programs."""
