"""One attempt at a review: its source, its cell, its diary, and its place in a series of reviews."""
