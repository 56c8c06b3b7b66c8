"""Hold code that the routes share: access, requests, submission and child processes."""
