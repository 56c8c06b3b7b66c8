"""What all routes stand on: who asks, what is asked for, what becomes of it, and the shapes of both."""
