"""Two sides of code under review in, what it lost out: deleted, emptied, hollow or put back."""
