"""What stands behind a finding, in words: a candidate and its report in, lines for every format out."""
