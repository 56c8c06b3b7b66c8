"""What the library's rules say."""

LOAN_DAYS = 28
