"""What users and maintainers chose: files at base, environment and flags in, frozen settings out."""
