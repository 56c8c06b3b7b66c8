"""An opened change and the user's options in, a finished and kept report out, for whoever asks for it."""
