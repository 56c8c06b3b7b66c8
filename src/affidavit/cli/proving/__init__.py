"""Commands that prove a report again, and what follows from one finding of it."""
