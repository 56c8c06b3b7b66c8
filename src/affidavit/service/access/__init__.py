"""Who may do what, and how much of it: in one place for every route."""
