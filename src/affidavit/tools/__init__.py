"""The tools with which agents read a repository: confined to two trees, bounded, and kind to bad calls."""
