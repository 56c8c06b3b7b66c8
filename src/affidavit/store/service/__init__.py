"""What the service keeps: reviews, their progress and postings, who may ask, and who works."""
