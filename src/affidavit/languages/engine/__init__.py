"""What works for any language: syntax trees, files of a tree, and what a language must say of itself."""
