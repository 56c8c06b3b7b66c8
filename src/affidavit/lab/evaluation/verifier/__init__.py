"""The verifier alone: planted claims in, how many it refuted and confirmed out."""
