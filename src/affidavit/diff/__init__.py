"""What differs between two trees: a diff or two trees in, files, hunks and line maps out."""
