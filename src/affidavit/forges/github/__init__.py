"""GitHub: pull requests read and written over its REST and GraphQL interfaces."""
