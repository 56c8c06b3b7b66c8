"""What the laboratory keeps: labels of people, measures, cases, evaluations and rollouts as pure data."""
