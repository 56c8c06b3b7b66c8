"""The sources of dependencies, where they lie beside the repository: read, searched, and never run."""
