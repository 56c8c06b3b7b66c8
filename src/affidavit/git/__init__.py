"""Read a repository as a pair of git trees, without a checkout: files, searches, blame."""
