"""JavaScript and TypeScript: files and imports in, the modules that they name out."""
