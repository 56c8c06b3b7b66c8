"""How the schema came to be: Alembic runs these once each, in order, inside one transaction."""
