"""Names that are gone and still used: imports, attributes of modules, functions of C, documents."""
