"""A repository as git trees: read, search, blame, diff; and what the files of a change are."""
