"""One self-contained page: the diff with the findings in it, the proof of each, and what was withheld."""
