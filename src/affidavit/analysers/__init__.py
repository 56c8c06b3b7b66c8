"""Programs that look for problems: one module or room each, with its rules and what it judges to count."""
