"""How good reviews are: labels, error rates, and the choice and rollout of prompts."""
