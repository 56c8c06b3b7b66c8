"""Find what differs between two trees: files, hunks and line maps."""
