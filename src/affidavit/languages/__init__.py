"""One description a language: a file's name and text in, its grammar, imports and tests out."""
