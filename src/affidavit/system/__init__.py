"""The operating system: a command in, its bounded output out; private files; everything closed at the end."""
