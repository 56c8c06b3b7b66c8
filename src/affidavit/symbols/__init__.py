"""What a file defines and names: its text in, definitions, occurrences and changed symbols out."""
