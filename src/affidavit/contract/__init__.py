"""Define the `ReviewResult`, read replies into it, and write it."""
