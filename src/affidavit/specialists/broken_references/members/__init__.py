"""Members of classes that are gone and still used, or new and not implemented."""
