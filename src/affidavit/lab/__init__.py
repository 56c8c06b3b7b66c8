"""The laboratory: reports, labels and cases with known problems in, figures about the reviewer out."""
