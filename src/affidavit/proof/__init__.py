"""What makes a finding true: quotes, searches and judgements in, what stands of them out."""
