"""Write a report in the formats that people and programs read."""
