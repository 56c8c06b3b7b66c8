"""Pure data: what flows between the stages. Frozen, and each record goes to JSON and back."""
