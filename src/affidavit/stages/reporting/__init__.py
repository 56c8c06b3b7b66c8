"""From what stands to the report: what became of earlier findings, places, words, verdict and gate."""
