"""Review labelled cases and score the results."""
