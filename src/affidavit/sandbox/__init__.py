"""Run programs in a copy of one side of the change, isolated from this machine."""
