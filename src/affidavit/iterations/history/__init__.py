"""The reviews of a change as people read them: scores, what was followed, what improved, when to stop."""
