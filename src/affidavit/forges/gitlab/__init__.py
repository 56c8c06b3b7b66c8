"""GitLab: merge requests read and written over its REST interface."""
