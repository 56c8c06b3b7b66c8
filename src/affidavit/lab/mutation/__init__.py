"""From a repository's own commits to labelled cases: each with one planted bug, beside its clean twin."""
