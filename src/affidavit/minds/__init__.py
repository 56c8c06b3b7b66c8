"""Talk to the models behind the planner, the specialists, the verifier and the reporter."""
