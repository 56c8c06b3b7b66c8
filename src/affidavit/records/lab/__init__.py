"""The records of the laboratory: labels of people, measures, evaluations and rollouts."""
