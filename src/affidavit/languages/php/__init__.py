"""PHP: files and use statements in, the classes that they name out."""
