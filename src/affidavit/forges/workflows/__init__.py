"""Hold the templates of `affidavit init`: GitHub workflow, GitLab jobs, git hooks."""
