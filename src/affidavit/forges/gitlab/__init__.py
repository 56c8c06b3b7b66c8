"""Read and write merge requests of GitLab over REST."""
