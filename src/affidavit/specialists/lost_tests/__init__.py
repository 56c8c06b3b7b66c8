"""Two sides of a repository in, what its tests lost out: deleted, skipped, weakened, not run any more."""
