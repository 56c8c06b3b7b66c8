"""The tests of JavaScript and TypeScript: what is run of them, how often, and what it asks for."""
