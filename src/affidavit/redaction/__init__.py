"""Take secrets out of text before it leaves: a text or a file in, the same without secrets out."""
