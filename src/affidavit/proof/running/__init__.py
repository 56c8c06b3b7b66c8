"""Run programs, and judge what a run shows."""
