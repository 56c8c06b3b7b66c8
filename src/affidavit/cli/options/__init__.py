"""Options that several commands share: arguments of the command line in, checked values out."""
