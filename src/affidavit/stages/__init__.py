"""The stages of a review, one module each; they take data and return data, and none imports another."""
