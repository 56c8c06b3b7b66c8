"""Programs run in a copy of one side of the change, behind walls; where a wall is missing, nothing is run."""
