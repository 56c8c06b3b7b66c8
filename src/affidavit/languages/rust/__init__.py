"""Rust: files and use declarations in, the crates and modules that they name out."""
