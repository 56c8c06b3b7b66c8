"""The tools that know definitions and who uses them."""
