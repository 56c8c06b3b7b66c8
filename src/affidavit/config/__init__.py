"""Read settings from files of the base commit, the environment and flags."""
