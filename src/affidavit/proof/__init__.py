"""Check what makes a finding true: quotes, searches, judgements and runs."""
