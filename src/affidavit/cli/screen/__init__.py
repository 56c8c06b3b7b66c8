"""What commands show and write: events and results in, lines and files out."""
