"""What a finding quotes or searches for, held against the commit: a quote in, where it stands out."""
