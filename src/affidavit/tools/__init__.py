"""Tools for models: they read only the two trees, limit their answers, and explain bad calls."""
