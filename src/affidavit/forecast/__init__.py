"""What a review would cost and what would leave: a change and models in, a table out, nobody asked."""
