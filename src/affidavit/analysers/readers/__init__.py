"""Standard formats of analysers: what one printed in, its diagnostics out."""
