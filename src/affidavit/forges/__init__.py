"""Where people review: a pull request in, its change out; a report in, comments out."""
