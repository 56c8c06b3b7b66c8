"""The reviews of one change as a series: what was said, was it followed, did it help, when to stop."""
