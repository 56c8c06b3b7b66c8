"""The events of a review as a stream that can be left and joined again at any point."""
