"""The routes of the API: a module a subject, none knows another."""
