"""What people said of findings: labels in, error rates with intervals out."""
