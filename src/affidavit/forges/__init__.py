"""Read pull requests from GitHub and GitLab, and post reports on them."""
