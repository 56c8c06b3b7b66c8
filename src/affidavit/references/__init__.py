"""Who uses what: symbols and a tree in, the places that use them out, each with how certain it is."""
