"""Sources of installed packages, read and searched but never run."""
