"""What to post is data: a report and what stands on the forge already in, actions out."""
