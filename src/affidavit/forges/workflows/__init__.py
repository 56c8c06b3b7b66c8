"""What `affidavit init` writes: the workflow of GitHub, the jobs of GitLab, the hooks of git."""
