"""A patch that a finding brings, in; what became of it when it was tried, out."""
