"""What verifiers and the joiner answer, how it is read, and what several answers come to."""
