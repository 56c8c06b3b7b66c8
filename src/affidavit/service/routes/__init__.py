"""Hold the routes of the API, one module per subject."""
