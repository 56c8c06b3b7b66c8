"""A sweep over commits of real repositories: what is shown, what people say of it, and the figures."""
