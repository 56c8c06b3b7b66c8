"""How it is kept: transactions on one database or the other, and its tables brought up to date."""
