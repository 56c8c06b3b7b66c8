"""A repository as a pair of git trees: revisions in, files, hits and blame out; nothing is checked out."""
