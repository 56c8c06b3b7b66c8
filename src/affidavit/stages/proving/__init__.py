"""From candidates to what stands of them: evidence, runs, one cause once, the verifier."""
