"""Hold the stages of a review, one module each; they take and return data, and none imports another."""
