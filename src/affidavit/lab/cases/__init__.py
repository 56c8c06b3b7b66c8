"""Cases with known problems: folders, repositories and written histories in, changes to review out."""
