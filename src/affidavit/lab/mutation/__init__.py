"""Make labelled cases from a repository's commits: each with one planted bug, and a clean twin."""
