"""What users say once for all reviews, as data."""
