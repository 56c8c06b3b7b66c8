"""Programs that are run on a side of a change, and what came of them."""
