"""Programs that look for problems: a change in, what is new at head and counts out; a module or room each."""
