"""What a run of a program shows: a runner and a program in, what may be said of it out."""
