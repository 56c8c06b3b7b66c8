"""Run analysers on both sides of a change, and report what is new."""
