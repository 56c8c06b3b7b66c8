"""Find what files define, where names occur, who imports whom, and who uses what."""
