"""How good the reviews are: labelled cases, matching, metrics with intervals, labels, rollout."""
